import { Proxy } from '../../proxy/proxy.js';
import { type Fields, isFields, textOf } from '../../scenario/match.js';
import { Inbox } from '../inbox.js';
import { clientOf, type Stage, type StagedClient, withinOf } from '../stage.js';
import { type TokenAnswer, TokenScript } from '../tokenScript.js';
import { asError, assertLike, eventually, inTime, settle } from './expectations.js';
import type { StepKind, StepKinds } from './step.js';

/** Short, so that a scenario does not wait for them; without early tries, unless it is about these. */
const reconnect = { earlyMs: [], baseMs: 40, multiplier: 1.5, maxMs: 400, jitter: 0.5, restartSpreadMs: 100 };

/** Connects a client through a proxy of its own, and waits until it is connected, or closed where an error is expected. */
const connect: StepKind = {
  required: ['client'],
  optional: ['actor', 'token', 'options', 'path', 'ready', 'gateway', 'error', 'result', 'save', 'within'],
  async run(stage, fields) {
    const name = String(fields['client']);
    const actor = textOf(fields['actor'] ?? name);
    const token = fields['token'] ?? 'access';
    const client = await stageClient(stage, name, fields);
    const answers = asksOf(token).map((one) => answerOf(stage, actor, one));
    client.tokens = new TokenScript(answers);
    const outcome = await stage.conversation.request('connect', {
      client: name,
      url: withPath(client.proxy.url, fields['path']),
      token: isFields(token) && 'ask' in token ? { ask: true } : await answers[0]?.(),
      options: optionsOf(fields['options']),
    });
    if ('error' in outcome) return settle(stage, fields, outcome);
    if (fields['ready'] === false) return;
    const isRefused = fields['error'] !== undefined;
    const ready = stage.conversation.request('ready', { client: name });
    await takeState(client, { name: isRefused ? 'closed' : 'connected' }, fields);
    settle(stage, fields, await inTime(ready, fields));
  },
};

const stageClient = async (stage: Stage, name: string, { gateway }: Fields): Promise<StagedClient> => {
  const known = stage.clients.get(name);
  if (known !== undefined) throw new Error(`There is a client ${name} already`);
  const client: StagedClient = {
    name,
    proxy: await Proxy.open(() => stage.deployment.portOf(client.gateway), {
      onNote: (note) => stage.transcript.note(`   ${name} ${note}`),
    }),
    inbox: new Inbox(),
    tokens: new TokenScript([]),
    // Clients take turns, so that what they say to one another crosses the bus.
    gateway: gateway === undefined ? stage.clients.size : Number(gateway),
  };
  stage.clients.set(name, client);
  return client;
};

const withPath = (url: string, path: unknown): string =>
  path === undefined ? url : new URL(textOf(path), url).href;

const optionsOf = (given: unknown): Fields => {
  const options = isFields(given) ? given : {};
  if (options['reconnect'] === false) return options;
  return { ...options, reconnect: { ...reconnect, ...(options['reconnect'] as Fields | undefined) } };
};

const asksOf = (token: unknown): readonly unknown[] =>
  isFields(token) && Array.isArray(token['ask']) ? token['ask'] : [token];

/** `access`, a text, `{ fail: why }`, or a client token by its options, of another or an external actor where it names one. */
const answerOf = (stage: Stage, actor: string, token: unknown): TokenAnswer => {
  if (token === 'access') return async () => stage.world.accessToken(actor);
  if (!isFields(token)) return async () => String(token);
  const { fail, actor: other = actor, access, external, ...options } = token;
  if (fail !== undefined) return () => Promise.reject(new Error(textOf(fail)));
  if (external !== undefined) return () => stage.world.externalToken(textOf(external), options);
  if (access !== undefined) return async () => stage.world.accessToken(textOf(access));
  return () => stage.world.clientToken(String(other), options);
};

/** The next state that is so; those before it are passed over. */
const takeState = async (client: StagedClient, expected: Fields, fields: Fields): Promise<void> => {
  for (;;) {
    const what = `the state ${JSON.stringify(expected)} of ${client.name}`;
    const event = await client.inbox.take(({ event }) => event === 'state', withinOf(fields), what);
    if (event['name'] !== expected['name']) continue;
    return assertLike(expected, event, 'The state');
  }
};

/** Waits for a state; `error` is the reason of one that has a reason. */
const state: StepKind = {
  required: ['client', 'name'],
  optional: ['error', 'within'],
  run: (stage, fields) => {
    const { name, error } = fields;
    const reason = error === undefined ? {} : { error: asError(error) };
    return takeState(clientOf(stage, fields), { name, ...reason }, fields);
  },
};

/** How often the token function has been called, and for what refusals. */
const asked: StepKind = {
  required: ['client', 'times'],
  optional: ['refused', 'within'],
  run: (stage, fields) =>
    eventually(fields, async () => {
      const { refusals } = clientOf(stage, fields).tokens;
      assertLike(fields['times'], refusals.length, 'The calls of the token function');
      if (fields['refused'] !== undefined) assertLike(fields['refused'], refusals, 'The refusals');
    }),
};

export const connectionSteps: StepKinds = { connect, state, asked };
