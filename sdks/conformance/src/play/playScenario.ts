import type { Adapter } from '../adapter/adapter.js';
import type { AdapterEvent } from '../adapter/protocol.js';
import type { Scenario, Step } from '../scenario/scenario.js';
import { Variables } from '../scenario/variables.js';
import type { Deployment } from '../server/deployment.js';
import { World } from '../world/world.js';
import type { Stage, StagedClient } from './stage.js';
import { inTime } from './steps/expectations.js';
import { stepKinds } from './steps/steps.js';
import { Transcript } from './transcript.js';

/** A scenario that did not come out as it should, with all that happened. */
export class ScenarioFailed extends Error {
  override readonly name = 'ScenarioFailed';

  constructor(scenario: Scenario, place: string, transcript: Transcript, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${scenario.name}, ${place}: ${why}\n${transcript.toString()}`, { cause });
  }
}

/** Rejects with `ScenarioFailed`. */
export const playScenario = async (
  scenario: Scenario,
  adapter: Adapter,
  deployment: Deployment,
): Promise<void> => {
  const transcript = new Transcript();
  let place = 'given';
  try {
    const world = await World.make(scenario.given, deployment.rest);
    const stage = openStage(world, deployment, adapter, transcript);
    try {
      await playSteps(stage, scenario.steps, (step) => {
        place = `step ${step.place} (${step.name})`;
        transcript.note(`-- ${step.place} ${step.name}`);
      });
      place = 'the end';
      assertNothingLeft(scenario, stage.clients.values());
    } finally {
      await clear(stage);
    }
  } catch (error) {
    if (adapter.lastComplaints !== '') transcript.note(`The adapter said: ${adapter.lastComplaints}`);
    throw new ScenarioFailed(scenario, place, transcript, error);
  }
};

const openStage = (world: World, deployment: Deployment, adapter: Adapter, transcript: Transcript): Stage => {
  const clients = new Map<string, StagedClient>();
  const conversation = adapter.open({
    onEvent: (event) => clients.get(event.client)?.inbox.push(event),
    onQuestion: async ({ client, refused }) => {
      const asking = clients.get(client);
      if (asking === undefined) throw new Error(`There is no client ${client}`);
      return asking.tokens.answer(refused);
    },
    onLine: (direction, line) => transcript.note(`${direction === 'to' ? '->' : '<-'} ${line}`),
  });
  return {
    ...{ world, deployment, conversation, transcript, clients },
    variables: new Variables({
      ...world.names,
      organizationId: deployment.operator.organizationId,
    }),
    later: new Map(),
  };
};

const playSteps = async (
  stage: Stage,
  steps: readonly Step[],
  before: (step: Step) => void,
): Promise<void> => {
  for (const step of steps) {
    before(step);
    const { name, fields } = step;
    const kind = stepKinds[name];
    if (kind === undefined) throw new Error(`There is no step ${name}`);
    if (kind.isNested) await repeat(stage, step, before);
    else await kind.run(stage, stage.variables.fill(fields) as Step['fields']);
  }
};

const repeat = async (stage: Stage, { fields }: Step, before: (step: Step) => void): Promise<void> => {
  for (let i = 1; i <= Number(fields['times']); i += 1) {
    stage.variables.set('i', i);
    await playSteps(stage, fields['steps'] as readonly Step[], before);
  }
};

/** Kinds of events of which none may come that no step expects. */
const neverUnexpected: readonly string[] = ['message', 'gap', 'ended', 'error', 'hydration'];

const assertNothingLeft = ({ ignores }: Scenario, clients: Iterable<StagedClient>): void => {
  const isUnexpected = ({ event }: AdapterEvent): boolean =>
    neverUnexpected.includes(event) && !ignores.includes(event);
  for (const { inbox } of clients)
    for (const event of inbox.rest)
      if (isUnexpected(event)) throw new Error(`Nobody expected ${JSON.stringify(event)}`);
};

/** How long a client may take to close. */
const closeMs = 10_000;

/** Clients are closed, so that none tries to connect again for the rest of the run. */
const clear = async ({ clients, conversation, world }: Stage): Promise<void> => {
  const all = [...clients.values()];
  for (const { proxy } of all) proxy.release();
  await Promise.all(
    all.map(({ name }) => inTime(conversation.request('close', { client: name }), { within: closeMs })),
  );
  await Promise.all(all.map(({ proxy }) => proxy.close()));
  await world.close();
};
