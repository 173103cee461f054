import type { History, HistoryTopic } from '@roomwire/shared/ports/history';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { topicNameOf } from '@roomwire/shared/domain/topic';
import type { Place } from '@roomwire/shared/wire/protocol/position';
import type { Logger } from '@roomwire/shared/ports/logger';

interface PlacesDeps {
  /** Undefined where nothing is kept. */
  readonly history: Pick<History, 'look' | 'epochOf'> | undefined;
  readonly logger: Logger;
}

/** Where messages stand in the record. The epoch is known once somebody has looked at it, which a subscription that asks for positions waits for. */
export class Places {
  private readonly deps: PlacesDeps;
  private looking: Promise<unknown> | undefined;

  constructor(deps: PlacesDeps) {
    this.deps = deps;
  }

  /** Undefined as long as the epoch is not known. */
  of(message: LiveMessage, offset: number): Place | undefined {
    const epoch = this.deps.history?.epochOf(message.room);
    if (epoch !== undefined) return { epoch, offset };
    this.looking ??= this.look(message).finally(() => (this.looking = undefined));
    return undefined;
  }

  /** Resolves when the places of a topic are known. Rejects with `EngineUnavailable`. */
  async know(topic: HistoryTopic): Promise<void> {
    const { history } = this.deps;
    if (history !== undefined && history.epochOf(topic.room) === undefined) await history.look(topic);
  }

  /** History was switched on under subscriptions that were there before. */
  private async look({ room, topic, kept }: LiveMessage): Promise<void> {
    if (kept === undefined) return;
    const { roomId, accessScopeId } = kept;
    try {
      await this.know({ room, roomId, accessScopeId, name: topicNameOf(topic) });
    } catch (error) {
      this.deps.logger.warn('Positions of messages are not known yet', { error });
    }
  }
}
