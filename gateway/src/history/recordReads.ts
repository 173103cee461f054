import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { History, HistoryView } from '@roomwire/shared/ports/history';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import { placeOfDeletion } from '@roomwire/shared/history/boundedView';
import { readPage } from '@roomwire/shared/history/historyPage';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { HistoryFrame, SubscribeFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { comparePlaces, positionOf } from '@roomwire/shared/wire/protocol/position';
import type { TopicRecord } from '../access/topicAccess.js';
import type { GatewayMetrics } from '../metrics.js';
import { Hold, ReplayMemory } from './hold.js';
import { Replay, type Replaying } from './replay.js';
import { answerOf, type AnsweredPage } from './answeredPage.js';
import { ReplayFrames } from './replayFrames.js';
import { ReplayedMessages } from './replayedMessages.js';
import { select, type Selection } from './selection.js';
import { HistoryTurns } from './turns.js';

interface RecordReadsDeps {
  /** Undefined where nothing is kept. */
  readonly history: History | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
}

/** What a subscription begins with. */
export interface Beginning {
  readonly view: HistoryView;
  /** Undefined where it did not ask for what was published before. */
  readonly selection: Selection | undefined;
  /** Of the newest message before the live ones. */
  readonly position: string;
}

/** Everything that connections of this gateway read of the record of topics with history. */
export class RecordReads {
  readonly replayed = new ReplayedMessages();
  private readonly frames = new ReplayFrames();
  readonly memory = new ReplayMemory(limitTable.replayMemory.value);
  private readonly deps: RecordReadsDeps;
  private readonly turns = new HistoryTurns(limitTable.replaysAtOnce.value);

  constructor(deps: RecordReadsDeps) {
    this.deps = deps;
  }

  get waiting(): number {
    return this.turns.waits;
  }

  /** The live messages of a subscription wait in it. */
  hold({ from }: Pick<SubscribeFrame, 'from'>): Hold {
    return new Hold(this.memory, from !== undefined);
  }

  /** [WS-HIST-4] Rejects with `EngineUnavailable`. */
  begin(
    { projectId, history }: { readonly projectId: string; readonly history: TopicRecord },
    { from }: Pick<SubscribeFrame, 'from'>,
    matches: (message: LiveMessage) => boolean,
  ): Promise<Beginning> {
    return this.turns.take(projectId, async () => {
      const view = await this.look(history);
      const now = this.deps.clock.now();
      const selection = from && (await select(history, view, from, matches, now));
      if (selection !== undefined) this.count(selection);
      return { view, selection, position: newestPosition(history, view) };
    });
  }

  replay(
    subscription: Replaying,
    hold: Hold,
    { projectId, history }: { readonly projectId: string; readonly history: TopicRecord },
  ): Replay {
    const { metrics, logger } = this.deps;
    return new Replay(subscription, hold, {
      topic: history.topic,
      frames: this.frames,
      look: () => this.turns.take(projectId, () => this.look(history)),
      replayed: (kept) => this.replayed.replayed(kept),
      delivered: (messages) => (metrics.deliveries += messages),
      failed: (error) => logger.warn('A replay waits for its record', { error }),
    });
  }

  /** [WS-HIST-12] Rejects with `EngineUnavailable`. */
  ask(
    { projectId, history }: { readonly projectId: string; readonly history: TopicRecord },
    { before, after, limit, ref }: Pick<HistoryFrame, 'before' | 'after' | 'limit' | 'ref'>,
  ): Promise<AnsweredPage> {
    this.deps.metrics.historyReads++;
    return this.turns.take(projectId, async () => {
      const view = await this.look(history);
      const request = { before, after, limit, maxBytes: limitTable.frameBytes.value };
      const page = await readPage(history.topic, view, history.bounds, request, this.deps.clock.now());
      return answerOf(history.topic, page, ref);
    });
  }

  private async look({ topic }: TopicRecord): Promise<HistoryView> {
    const { history } = this.deps;
    if (history === undefined) throw new EngineUnavailable('message history');
    return history.look(topic);
  }

  private count({ gap }: Selection): void {
    const { metrics } = this.deps;
    metrics.replays++;
    if (gap !== undefined) metrics.replayGaps[gap.reason] = (metrics.replayGaps[gap.reason] ?? 0) + 1;
  }
}

/** Behind a deletion it is the deletion's, so that what comes after continues it. */
const newestPosition = ({ topic }: TopicRecord, { newest, deletedTo }: HistoryView): string => {
  const places = [newest?.place, placeOfDeletion(deletedTo)].filter((place) => place !== undefined);
  const last = places.sort(comparePlaces).at(-1);
  return last === undefined ? '' : positionOf(topic, last);
};
