import { setTimeout as pause } from 'node:timers/promises';
import { readEvent, schemaVersions, type DomainEvent } from '@roomwire/shared/domain/events';
import type {
  EventMetadata,
  HappenedEvent,
  NewEvent,
  RecordedEvent,
} from '@roomwire/shared/domain/eventEnvelope';
import { AppendTooLarge, RevisionConflict } from '@roomwire/shared/ports/errors';
import type { EventLog, LogPosition, ExpectedRevision } from '@roomwire/shared/ports/eventLog';
import type { Clock } from '@roomwire/shared/ports/clock';
import { backOffMs, chanceOf, withJitter } from '@roomwire/shared/runtime/waiting';
import { workSlices } from '@roomwire/shared/runtime/workSlices';
import type { Random } from '@roomwire/shared/ports/random';
import type { Decider, Target } from './writeModel.js';
import { Rejection } from './rejections.js';

/** The metadata of a command's events: who asked, for whom and when. */
export type CommandContext = EventMetadata;

export interface Submission<State, Event extends DomainEvent, Result> {
  readonly decide: (state: State) => readonly Event[];
  /** Absent for a submission that only reads. */
  readonly context?: CommandContext;
  readonly select: (state: State) => Result;
}

export interface Decided<Result> {
  readonly result: Result;
  /** The log position that read models must have reached to show this state. */
  readonly position: LogPosition | undefined;
}

export interface StreamWriter {
  /** Every submission to one stream uses the same decider. */
  submit<State, Command, Event extends DomainEvent, Result>(
    decider: Decider<State, Command, Event>,
    submission: Submission<State, Event, Result>,
  ): Promise<Decided<Result>>;
  readonly idle: boolean;
  /** Of the events that the kept state is folded from: about what it takes in memory, or more. */
  readonly characters: number;
}

interface Waiting {
  readonly decider: Decider<unknown, unknown, DomainEvent>;
  readonly submission: Submission<unknown, DomainEvent, unknown>;
  resolve(decided: Decided<unknown>): void;
  reject(error: unknown): void;
}

/** The outcome of a submission, held back until the append that it shares has succeeded. */
type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** So often a command is decided anew because another process was faster, each time after a longer wait: some 2 s in all. */
const mostConflicts = 30;
const betweenConflicts = { firstMs: 1, longestMs: 100 };

/** After a conflict so many commands are decided one by one: while other processes write a stream, the next conflict is near. */
const aloneAfterConflict = 200;

const batchSize = 100;

/** A batch ends after the command with which its events reach this size: engines limit the size of an append. */
const batchCharacters = 256 * 1024;

/** The one writer of a stream in this process. Other processes may write it too: they show up as conflicts. */
export const createStreamWriter = (deps: {
  readonly stream: string;
  readonly log: EventLog;
  readonly random: Random;
}): StreamWriter => {
  const { stream, log, random } = deps;
  const waiting: Waiting[] = [];
  let running = false;
  let known: StreamState<unknown> | undefined;
  /** How many of the waiting submissions are decided one by one. */
  let alone = 0;

  const run = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, alone > 0 ? 1 : batchSize);
      if (alone > 0) alone -= 1;
      try {
        const outcomes =
          batch.length === 1 ? [await decideAlone(batch[0] as Waiting)] : await decideTogether(batch);
        waiting.unshift(...batch.splice(outcomes.length));
        settle(batch, outcomes);
      } catch (error) {
        // Events that were folded ahead of the failed append have not happened.
        known = undefined;
        const next = batch.length === 1 ? 0 : aloneAfter(error, batch.length);
        if (next > 0) {
          waiting.unshift(...batch);
          alone = next;
        } else for (const each of batch) each.reject(error);
      }
    }
    running = false;
  };

  /** Folds nothing ahead of the append: after a conflict only what others have written is read. */
  const decideAlone = async ({ decider, submission }: Waiting): Promise<Outcome> => {
    for (let conflicts = 0; ;) {
      const folded = await refresh(log, stream, decider, known);
      known = folded;
      const slices = workSlices();
      try {
        const fresh = newEvents(submission, folded.state, random);
        if (slices.isOver()) await slices.next();
        if (isFilled(fresh)) {
          const appended = await log.append(stream, folded.revision, fresh);
          fold(decider, folded, fresh);
          Object.assign(folded, appended);
        }
        return { result: submission.select(folded.state) };
      } catch (error) {
        if (error instanceof Rejection) return { error };
        conflicts += 1;
        if (!(error instanceof RevisionConflict) || conflicts === mostConflicts) throw error;
        alone = aloneAfterConflict;
        await pause(withJitter(backOffMs(betweenConflicts, conflicts), chanceOf(random)));
      }
    }
  };

  /** The outcomes of the first submissions; the remaining ones go into the next batch. */
  const decideTogether = async (batch: readonly Waiting[]): Promise<readonly Outcome[]> => {
    const [first] = batch as readonly [Waiting, ...Waiting[]];
    const folded = await refresh(log, stream, first.decider, known);
    known = folded;
    const fresh: NewEvent[] = [];
    const outcomes: Outcome[] = [];
    const slices = workSlices();
    const mostCharacters = folded.characters + batchCharacters;
    while (outcomes.length < batch.length && folded.characters < mostCharacters) {
      outcomes.push(decideAhead(batch[outcomes.length] as Waiting, folded, fresh, random));
      // Comparing a large record, and writing it out, each take their time.
      if (slices.isOver()) await slices.next();
    }
    if (isFilled(fresh)) Object.assign(folded, await log.append(stream, folded.revision, fresh));
    return outcomes;
  };

  const settle = (batch: readonly Waiting[], outcomes: readonly Outcome[]): void => {
    const position = known?.position;
    batch.forEach((each, index) => {
      const outcome = outcomes[index] as Outcome;
      if ('error' in outcome) each.reject(outcome.error);
      else each.resolve({ result: outcome.result, position });
    });
  };

  return {
    submit: (decider, submission) =>
      new Promise((resolve, reject) => {
        waiting.push({ decider, submission, resolve, reject } as unknown as Waiting);
        if (!running) void run();
      }),
    get idle() {
      return !running;
    },
    get characters() {
      return known?.characters ?? 0;
    },
  };
};

/** How many commands are decided one by one, these first, because together they met this error; 0 where that does not help. */
const aloneAfter = (error: unknown, together: number): number => {
  if (error instanceof RevisionConflict) return aloneAfterConflict;
  // One command is too large, or several together: the others must not fail because of it.
  return error instanceof AppendTooLarge ? together : 0;
};

interface SystemDeps {
  readonly log: EventLog;
  readonly random: Random;
  readonly clock: Clock;
}

type Owner = Pick<CommandContext, 'organizationId' | 'projectId'>;

/** The metadata of what the service does by itself. */
export const systemContext = ({ random, clock }: Omit<SystemDeps, 'log'>, owner: Owner): CommandContext => ({
  occurredAt: new Date(clock.now()).toISOString(),
  organizationId: owner.organizationId,
  projectId: owner.projectId,
  principal: 'system',
  requestId: random.uuid(),
});

/** Carries out a command of the service itself, without waiting for the read models. */
export const executeAsSystem = async <State, Command, Event extends DomainEvent, Result = void>(
  deps: SystemDeps,
  { stream, decider }: Target<State, Command, Event>,
  command: Command,
  owner: Owner,
  select?: (state: State) => Result,
): Promise<Result> => {
  const { log, random } = deps;
  const { result } = await createStreamWriter({ stream, log, random }).submit(decider, {
    decide: (state) => decider.decide(command, state),
    context: systemContext(deps, owner),
    select: select ?? (() => undefined as Result),
  });
  return result;
};

/** Decides on the state after the submissions before it. A rejection leaves the state as it is; any other error is a defect. */
const decideAhead = (
  { decider, submission }: Waiting,
  folded: StreamState<unknown>,
  fresh: NewEvent[],
  random: Random,
): Outcome => {
  try {
    const events = newEvents(submission, folded.state, random);
    fresh.push(...events);
    fold(decider, folded, events);
    return { result: submission.select(folded.state) };
  } catch (error) {
    if (error instanceof Rejection) return { error };
    throw error;
  }
};

const newEvents = ({ decide, context }: Waiting['submission'], state: unknown, random: Random): NewEvent[] =>
  decide(state).map((event) => {
    if (context === undefined) throw new TypeError('A submission without context must not decide events');
    return { id: random.uuid(), schemaVersion: schemaVersions[event.type], ...event, metadata: context };
  });

/** As if they had been read, except for where they are in the log. */
const fold = (
  { evolve }: Waiting['decider'],
  folded: StreamState<unknown>,
  events: readonly NewEvent[],
): void => {
  for (const { type, data, metadata } of events) {
    const happened = { type, data, occurredAt: metadata.occurredAt } as HappenedEvent<DomainEvent>;
    folded.state = evolve(folded.state, happened);
    folded.characters += JSON.stringify(data).length;
  }
};

const isFilled = (events: NewEvent[]): events is [NewEvent, ...NewEvent[]] => events.length > 0;

/** A stream folded up to a revision. */
export interface StreamState<State> {
  state: State;
  revision: ExpectedRevision;
  /** Position of the last event folded; undefined for a stream without events. */
  position: LogPosition | undefined;
  /** Of the data of all events folded, as JSON. */
  characters: number;
}

/** Brings a folded stream up to date. Only the events after its revision are read. */
export const refresh = async <State, Command, Event extends DomainEvent>(
  log: EventLog,
  stream: string,
  decider: Decider<State, Command, Event>,
  known: StreamState<State> | undefined,
): Promise<StreamState<State>> => {
  const folded = known ?? { state: decider.initial(), revision: 'none', position: undefined, characters: 0 };
  const from = folded.revision === 'none' ? 0 : folded.revision + 1;
  for await (const events of log.readStream(stream, from)) {
    for (const event of events) foldOne(decider, folded, event);
  }
  return folded;
};

const foldOne = <State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  folded: StreamState<State>,
  event: RecordedEvent,
): void => {
  folded.state = decider.evolve(folded.state, readEvent(event) as HappenedEvent<Event>);
  folded.revision = event.revision;
  folded.position = event.position;
  folded.characters += JSON.stringify(event.data).length;
};
