import process from 'node:process';
import { createInterface } from 'node:readline';
import { connect, RoomwireError } from '../../src/index.js';
import type {
  AcknowledgeableMessage,
  Client,
  ClientOptions,
  Job,
  LobbyEvent,
  Message,
  SubscribeOptions,
  Subscription,
} from '../../src/index.js';
import { fromKit, toKit } from './values.js';

/** A request of the kit: of the fields each has those that it needs. `sdks/conformance/README.md` says what the lines mean. */
interface Request {
  readonly id: string;
  readonly do: string;
  readonly client: string;
  readonly sub: string;
  readonly topic: string;
  readonly room: string;
  readonly lobby: string;
  readonly n: number;
  readonly delaySeconds: number;
  readonly url: string;
  readonly token: unknown;
  readonly data: unknown;
  readonly presence: Readonly<Record<string, unknown>>;
  readonly filters: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
}

interface Watched {
  readonly position?: string | undefined;
  unsubscribe(): Promise<void>;
}

const clients = new Map<string, Client>();
const subscriptions = new Map<string, Watched>();
const unsettled = new Map<string, AcknowledgeableMessage | Job>();
/** Handlers that wait for `finish`. */
const releases = new Map<string, () => void>();
const questions = new Map<number, { resolve(token: string): void; reject(error: Error): void }>();

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(toKit(line))}\n`);

const errorOf = (error: unknown): object => {
  if (!(error instanceof RoomwireError)) return { error: 'invalid_options', message: String(error) };
  return { ...error, message: error.message };
};

const clientOf = ({ client }: Request): Client => clients.get(client) as Client;
const keyOf = ({ client, sub }: Request): string => `${client} ${sub}`;
const jobOf = (request: Request): Job | undefined =>
  unsettled.get(`${keyOf(request)} ${request.n}`) as Job | undefined;

const askKit = (client: string, refused: RoomwireError | undefined): Promise<string> =>
  new Promise((resolve, reject) => {
    const ask = questions.size + 1;
    questions.set(ask, { resolve, reject });
    say({ ask, client, refused: refused?.error });
  });

const open = ({ client: name, url, token, options }: Request): void => {
  const client = connect({
    ...(options as Partial<ClientOptions>),
    url,
    token: typeof token === 'string' ? token : ({ refused }) => askKit(name, refused),
  });
  clients.set(name, client);
  const tell = (event: string, fields: object): void => say({ event, client: name, ...fields });
  client.on('state', (state) =>
    tell('state', { name: state.name, ...('reason' in state ? { error: errorOf(state.reason) } : {}) }),
  );
  client.on('presence', ({ event: kind, roomId: room, ...change }) =>
    tell('presence', { kind, room, ...change }),
  );
  client.on('tokenExpiring', (notice) => tell('notice', { kind: 'tokenExpiring', ...notice }));
  client.on('error', (error) => tell('error', { error: errorOf(error) }));
};

const shown = ({ topic, data, filter, meta, isReplay, msgId, ...rest }: Message | Job): object => ({
  ...{ topic, data, filter, meta, isReplay, msgId },
  ...('delivery' in rest && { delivery: rest.delivery }),
});

const subscribe = async (request: Request): Promise<void> => {
  const { client, sub, topic, options = {} } = request;
  const { group, handler, ...rest } = options;
  const loadBalanceGroup = group === true ? {} : { loadBalanceGroup: group };
  const worker = group === undefined ? {} : { loadBalance: true, ...loadBalanceGroup };
  const tell = (event: string, fields: object): void => say({ event, client, sub, ...fields });
  let n = 0;
  const take = (message: Message | AcknowledgeableMessage | Job): void | Promise<void> => {
    tell('message', { n, ...shown(message) });
    if ('ack' in message) unsettled.set(`${keyOf(request)} ${n}`, message);
    n += 1;
    if (handler === 'fail') throw new Error('The scenario has the handler fail');
    if (handler === 'wait')
      return new Promise((resolve) => releases.set(`${keyOf(request)} ${n - 1}`, resolve));
  };
  const subscription: Subscription = await clientOf(request).subscribe(topic, take, {
    ...({ ...rest, ...worker } as SubscribeOptions),
    onGap: (gap) => tell('gap', gap),
    onHydration: ({ data }) => tell('hydration', { data }),
  });
  subscriptions.set(keyOf(request), subscription);
  void subscription.ended.then((error) => error && tell('ended', { error: errorOf(error) }));
};

const watch = async (request: Request): Promise<void> => {
  const { client, sub, lobby } = request;
  const tell = ({ event: kind, ...rest }: LobbyEvent): void =>
    say({ event: 'lobby', client, sub, kind, ...rest });
  subscriptions.set(keyOf(request), await clientOf(request).lobby(lobby, tell));
};

const count = async (request: Request): Promise<void> => {
  const { client, sub, room } = request;
  const watched = await clientOf(request).count(room, (present) =>
    say({ event: 'count', client, sub, present }),
  );
  subscriptions.set(keyOf(request), { unsubscribe: () => watched.stop() });
};

const track = (request: Request): void => {
  const { client, room: name } = request;
  const room = clientOf(request).room(name);
  for (const kind of ['join', 'update', 'leave'] as const)
    room.on(kind, ({ actorTokenId, before, after }) =>
      say({
        ...{ event: 'member', client, room: name, kind, actorTokenId },
        ...{ before: before?.presence, after: after?.presence },
      }),
    );
};

const history = async (request: Request): Promise<object[]> => {
  const messages: object[] = [];
  for await (const message of clientOf(request).history(request.topic, request.options))
    messages.push(shown(message));
  return messages;
};

const actions: Readonly<Record<string, (request: Request) => unknown>> = {
  ...{ connect: open, subscribe, lobby: watch, track, history, count },
  ready: (request) => clientOf(request).ready(),
  features: (request) => clientOf(request).features,
  unsubscribe: (request) => subscriptions.get(keyOf(request))?.unsubscribe(),
  setFilters: (request) => clientOf(request).setFilters(request.topic, request.filters),
  position: (request) => subscriptions.get(keyOf(request))?.position,
  publish: (request) => clientOf(request).publish(request.topic, fromKit(request.data), request.options),
  ack: (request) => jobOf(request)?.ack(),
  nack: (request) => jobOf(request)?.nack({ delaySeconds: request.delaySeconds }),
  progress: (request) => jobOf(request)?.progress(),
  finish: (request) => releases.get(`${keyOf(request)} ${request.n}`)?.(),
  enter: (request) => clientOf(request).enter(request.room, request.presence, request.options),
  leave: (request) => clientOf(request).leave(request.room),
  presence: (request) => clientOf(request).presence(request.room),
  members: (request) => clientOf(request).room(request.room).members,
  lobbyPresence: (request) => clientOf(request).lobbyPresence(request.lobby),
  close: (request) => clients.get(request.client)?.close(),
};

const reply = async (request: Request): Promise<void> => {
  const { id, do: what } = request;
  const action = actions[what];
  if (action === undefined) return say({ id, error: { error: 'unsupported', message: what } });
  try {
    say({ id, ok: (await action(request)) ?? null });
  } catch (error) {
    say({ id, error: errorOf(error) });
  }
};

const take = (text: string): void => {
  const line = JSON.parse(text) as Request & { answer?: number; ok?: string; error?: string };
  const question = questions.get(line.answer ?? 0);
  if (question === undefined) return void reply(line);
  if (line.ok === undefined) question.reject(new Error(line.error));
  else question.resolve(line.ok);
};

const supports = [
  'bigIntegers',
  ...['meta', 'own', 'idempotency', 'history', 'resume', 'presence', 'members', 'lobbies', 'groups'],
  ...['manualAck', 'sessions', 'tokenFunctions', 'renewal', 'earlyReconnect', 'tokenChecks', 'notices'],
  ...['hydration', 'bytes', 'leave', 'rooms', 'counts', 'jobs', 'later', 'concurrency'],
];
say({ hello: { language: 'typescript', supports } });
createInterface({ input: process.stdin })
  .on('line', take)
  .on('close', () => process.exit());
