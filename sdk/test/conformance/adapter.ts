import process from 'node:process';
import { createInterface } from 'node:readline';
import { connect, RoomwireError } from '../../src/index.js';
import type { Client, ClientOptions, Message, Subscription, SubscribeOptions } from '../../src/index.js';
import { fromKit, toKit } from './values.js';

/**
 * The client of this package as the conformance kit plays it. What the lines mean stands in `sdks/conformance/README.md`.
 */

type Fields = Readonly<Record<string, any>>;

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(toKit(line))}\n`);

const clients = new Map<string, Client>();
const subscriptions = new Map<
  string,
  Pick<Subscription, 'unsubscribe'> & { readonly position?: string | undefined }
>();
const questions = new Map<number, { resolve(token: string): void; reject(error: Error): void }>();

const errorOf = (error: unknown): object => {
  if (!(error instanceof RoomwireError)) return { error: 'invalid_options', message: String(error) };
  const { name: kind, message, cause: _cause, stack: _stack, ...details } = error;
  return { ...details, kind, message };
};

const clientOf = ({ client }: Fields): Client => clients.get(client) as Client;
const keyOf = ({ client, sub }: Fields): string => `${client} ${sub}`;

const askKit = (client: string, refused: RoomwireError | undefined): Promise<string> =>
  new Promise((resolve, reject) => {
    const ask = questions.size + 1;
    questions.set(ask, { resolve, reject });
    say({ ask, client, refused: refused?.error ?? null });
  });

const open = ({ client: name, url, token, options }: Fields): null => {
  const client = connect({
    ...{ url, ...optionsOf(options) },
    token: typeof token === 'string' ? token : ({ refused }) => askKit(name, refused),
  });
  clients.set(name, client);
  client.on('state', (state) => {
    const reason = 'reason' in state ? { error: errorOf(state.reason) } : {};
    say({ event: 'state', client: name, name: state.name, ...reason });
  });
  client.on('presence', ({ event: kind, ...change }) =>
    say({ event: 'presence', client: name, kind, ...change }),
  );
  client.on('error', (error) => say({ event: 'error', client: name, error: errorOf(error) }));
  return null;
};

const optionsOf = ({ reconnect, ...options }: Fields): Partial<ClientOptions> => {
  if (typeof reconnect !== 'object') return { ...options, reconnect };
  const { earlyMs: _none, ...backoff } = reconnect;
  return { ...options, reconnect: backoff };
};

const shown = ({ topic, data, filter, meta, isReplay, msgId }: Message): object => ({
  topic,
  data,
  filter,
  meta,
  isReplay,
  msgId,
});

const subscribe = async (request: Fields): Promise<null> => {
  const { client, sub, topic, options = {} } = request;
  const { group, handler, ...rest } = options;
  const worker =
    group === undefined ? {} : { loadBalance: true, loadBalanceGroup: group === true ? undefined : group };
  let n = 0;
  const subscription = await clientOf(request).subscribe(
    topic,
    (message) => {
      say({ event: 'message', client, sub, n: n++, ...shown(message) });
      if (handler === 'fail') throw new Error('The scenario has the handler fail');
    },
    { ...rest, ...worker, onGap: (gap) => say({ event: 'gap', client, sub, ...gap }) } as SubscribeOptions,
  );
  subscriptions.set(keyOf(request), subscription);
  void subscription.ended.then((error) => {
    if (error !== undefined) say({ event: 'ended', client, sub, error: errorOf(error) });
  });
  return null;
};

const lobby = async (request: Fields): Promise<null> => {
  const { client, sub } = request;
  const watched = await clientOf(request).lobby(request['lobby'], ({ event: kind, ...rest }) =>
    say({ event: 'lobby', client, sub, kind, ...rest }),
  );
  subscriptions.set(keyOf(request), watched);
  return null;
};

const history = async (request: Fields): Promise<object[]> => {
  const messages: object[] = [];
  for await (const message of clientOf(request).history(request['topic'], request['options']))
    messages.push(shown(message));
  return messages;
};

const actions: Readonly<Record<string, (request: Fields) => unknown>> = {
  connect: open,
  ready: (request) => clientOf(request).ready(),
  state: (request) => ({ name: clientOf(request).state.name }),
  features: (request) => clientOf(request).features,
  subscribe,
  unsubscribe: (request) => subscriptions.get(keyOf(request))?.unsubscribe(),
  setFilters: (request) => clientOf(request).setFilters(request['topic'], request['filters']),
  position: (request) => subscriptions.get(keyOf(request))?.position,
  publish: (request) =>
    clientOf(request).publish(request['topic'], fromKit(request['data']), request['options']),
  history,
  enter: (request) => clientOf(request).enter(request['room'], request['presence']),
  presence: (request) => clientOf(request).presence(request['room']),
  lobby,
  lobbyPresence: (request) => clientOf(request).lobbyPresence(request['lobby']),
  close: (request) => clients.get(request['client'])?.close(),
};

const answer = async (request: Fields): Promise<void> => {
  const { id, do: what } = request;
  const action = actions[what];
  if (action === undefined) return say({ id, error: { error: 'unsupported', message: what } });
  try {
    say({ id, ok: (await action(request)) ?? null });
  } catch (error) {
    say({ id, error: errorOf(error) });
  }
};

const take = (line: Fields): void => {
  const question = questions.get(line['answer']);
  if (question === undefined) return void answer(line);
  if (line['error'] === undefined) question.resolve(line['ok']);
  else question.reject(new Error(line['error']));
};

say({
  hello: {
    language: 'typescript',
    supports: [
      ...['meta', 'own', 'idempotency', 'history', 'resume', 'presence', 'lobbies', 'groups', 'sessions'],
      ...['tokenFunctions', 'bytes'],
    ],
  },
});
createInterface({ input: process.stdin })
  .on('line', (line) => take(JSON.parse(line) as Fields))
  .on('close', () => process.exit());
