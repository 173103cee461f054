import { setTimeout as pause } from 'node:timers/promises';
import { schemaVersions, type DomainEvent } from '@roomwire/shared/domain/events';
import { dataTextOf, type AppendedEvent, type EventMetadata } from '@roomwire/shared/domain/eventEnvelope';
import { AppendTooLarge, RevisionConflict } from '@roomwire/shared/ports/errors';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Clock } from '@roomwire/shared/ports/clock';
import { backOffMs, chanceOf, withJitter } from '@roomwire/shared/runtime/waiting';
import { workSlices } from '@roomwire/shared/runtime/workSlices';
import type { Random } from '@roomwire/shared/ports/random';
import { RevocableEdits, type Edits } from './edits.js';
import { foldAhead, refresh, unfolded, type KeptStates, type StreamState } from './streamState.js';
import type { Decider, Target } from './writeModel.js';
import { Rejection } from './rejections.js';

/** The metadata of a command's events: who asked, for whom and when. */
export type CommandContext = EventMetadata;

export interface Submission<State, Event extends DomainEvent, Result> {
  readonly decide: (state: State) => readonly Event[];
  /** Absent for a submission that only reads. */
  readonly context?: CommandContext;
  readonly select: (state: State) => Result;
  /** As of its target. */
  readonly isUnwritten?: boolean | undefined;
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
  /** About what the state that it keeps takes in memory, or more. */
  readonly bytes: number;
}

interface Waiting {
  readonly decider: Decider<unknown, unknown, DomainEvent>;
  readonly submission: Submission<unknown, DomainEvent, unknown>;
  resolve(decided: Decided<unknown>): void;
  reject(error: unknown): void;
}

/** The outcome of a submission, held back until the append that it shares has succeeded. */
type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** So often commands are decided anew because another process was faster, each time after a longer wait: some 2 s in all. */
const mostConflicts = 100;
const betweenConflicts = { firstMs: 1, longestMs: 20 };

const batchSize = 100;

/** A batch ends after the command with which its events reach this size as JSON: engines limit the size of an append. */
const batchCharacters = 256 * 1024;

/** The one writer of a stream in this process. Other processes may write it too: they show up as conflicts. */
export const createStreamWriter = (deps: {
  readonly stream: string;
  readonly log: EventLog;
  readonly random: Random;
  readonly kept?: KeptStates | undefined;
}): StreamWriter => {
  const { stream, log, random, kept } = deps;
  const waiting: Waiting[] = [];
  let running = false;
  let known: StreamState<unknown> | undefined;
  /** Whether the last look at the stream found it as this writer had left it. */
  let isAlone = true;
  /** How many of the waiting submissions are decided one by one. */
  let alone = 0;

  const run = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, alone > 0 ? 1 : batchSize);
      if (alone > 0) alone -= 1;
      try {
        const outcomes = await decide(batch);
        waiting.unshift(...batch.splice(outcomes.length));
        settle(batch, outcomes);
      } catch (error) {
        const isTooLarge = error instanceof AppendTooLarge;
        if (isTooLarge && batch.length > 1) {
          // One command is too large, or several together: the others must not fail because of it.
          waiting.unshift(...batch);
          alone = batch.length;
          continue;
        }
        // Among other things the log may have been put back to an earlier time.
        if (!isTooLarge) known = undefined;
        for (const each of batch) each.reject(error);
      }
    }
    running = false;
  };

  /** The outcomes of the first submissions, whose events have been appended; the remaining ones go into the next batch. */
  const decide = async (batch: readonly Waiting[]): Promise<readonly Outcome[]> => {
    const [{ decider, submission }] = batch as readonly [Waiting, ...Waiting[]];
    const mayAppend = batch.some(({ submission: { context } }) => context !== undefined);
    // Nothing is read where the append will say whether the state is that of the stream.
    let isAssumed = known === undefined ? submission.isUnwritten === true : isAlone && mayAppend;
    for (let conflicts = 0; ;) {
      const folded = isAssumed ? (known ?? unfolded(decider)) : await read(decider);
      known = folded;
      const before = { ...folded };
      const edits = new RevocableEdits();
      try {
        const { outcomes, fresh } = await decideAhead(batch, folded, edits, random);
        if (isFilled(fresh)) {
          Object.assign(folded, await log.append(stream, folded.revision, fresh));
          folded.lastEvent = fresh.at(-1)?.id;
        } else if (isAssumed) {
          // What was rejected, or changes nothing, may be so no longer.
          isAssumed = false;
          continue;
        }
        kept?.keep(stream, decider, folded);
        return outcomes;
      } catch (error) {
        // What was folded ahead of the append has not happened.
        edits.takeBack();
        Object.assign(folded, before);
        conflicts += 1;
        if (!(error instanceof RevisionConflict) || conflicts === mostConflicts) throw error;
        isAlone = false;
        if (!isAssumed) await pause(withJitter(backOffMs(betweenConflicts, conflicts), chanceOf(random)));
        isAssumed = false;
      }
    }
  };

  const read = async (decider: Waiting['decider']): Promise<StreamState<unknown>> => {
    const revision = known?.revision;
    const folded = await refresh(deps, stream, decider, known);
    isAlone = revision === undefined || revision === folded.revision;
    return folded;
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
    get bytes() {
      return known?.bytes ?? 0;
    },
  };
};

export interface SystemDeps {
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

/** Each submission is decided on the state after those before it, as many of them as fit into one append. */
const decideAhead = async (
  batch: readonly Waiting[],
  folded: StreamState<unknown>,
  edits: Edits,
  random: Random,
): Promise<{ readonly outcomes: readonly Outcome[]; readonly fresh: readonly AppendedEvent[] }> => {
  const fresh: AppendedEvent[] = [];
  const outcomes: Outcome[] = [];
  const slices = workSlices();
  for (let characters = 0; outcomes.length < batch.length && characters < batchCharacters;) {
    const { submission, decider } = batch[outcomes.length] as Waiting;
    try {
      const events = newEvents(submission, folded.state, random);
      for (const { dataText = '' } of events) characters += dataText.length;
      fresh.push(...events);
      foldAhead(decider, folded, events, edits);
      outcomes.push({ result: submission.select(folded.state) });
    } catch (error) {
      // A rejection leaves the state as it is; any other error is a defect.
      if (!(error instanceof Rejection)) throw error;
      outcomes.push({ error });
    }
    // Comparing a large record, and writing it out, each take their time.
    if (slices.isOver()) await slices.next();
  }
  return { outcomes, fresh };
};

const newEvents = (
  { decide, context }: Waiting['submission'],
  state: unknown,
  random: Random,
): AppendedEvent[] =>
  decide(state).map((event) => {
    if (context === undefined) throw new TypeError('A submission without context must not decide events');
    const dataText = dataTextOf(event.data);
    return {
      id: random.uuid(),
      schemaVersion: schemaVersions[event.type],
      ...event,
      dataText,
      metadata: context,
    };
  });

const isFilled = (events: readonly AppendedEvent[]): events is readonly [AppendedEvent, ...AppendedEvent[]] =>
  events.length > 0;
