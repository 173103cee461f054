import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { History } from '@roomwire/shared/ports/history';
import type { Logger } from '@roomwire/shared/ports/logger';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { positionOf, type Place } from '@roomwire/shared/wire/protocol/position';
import type { TopicRecord } from '../access/topicAccess.js';
import type { PublishedMessage } from './publisher.js';

interface PositionsDeps {
  /** Undefined where nothing is kept. */
  readonly history: History | undefined;
  readonly logger: Logger;
}

/** The positions of messages that were accepted, for those that are told. */
export class Positions {
  private readonly deps: PositionsDeps;

  constructor(deps: PositionsDeps) {
    this.deps = deps;
  }

  /** Undefined where it is not known: the message is not waited for, or has expired, or an engine is away. Never rejects. */
  async of({ topic }: TopicRecord, published: PublishedMessage): Promise<string | undefined> {
    const { history, logger } = this.deps;
    if (history === undefined) return undefined;
    try {
      const place = published.isDuplicate
        ? await this.find(history, topic, published.messageId)
        : await this.placeAt(history, topic, published.offset);
      return place && positionOf(topic, place);
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
      logger.warn('The position of a message is not known', { error });
      return undefined;
    }
  }

  private async placeAt(
    history: History,
    topic: TopicRecord['topic'],
    offset: number | undefined,
  ): Promise<Place | undefined> {
    if (offset === undefined || offset < 0) return undefined;
    const epoch = history.epochOf(topic.room) ?? (await history.look(topic)).epoch;
    return { epoch, offset };
  }

  /** Of an earlier one, which is among the newest: its id is remembered for minutes. */
  private async find(
    history: History,
    topic: TopicRecord['topic'],
    messageId: string,
  ): Promise<Place | undefined> {
    let lookedAt = 0;
    for await (const page of (await history.look(topic)).newestFirst()) {
      const found = page.find(({ message }) => message.id === messageId);
      lookedAt += page.length;
      if (found !== undefined || lookedAt >= limitTable.replayLookedAt.value) return found?.place;
    }
    return undefined;
  }
}
