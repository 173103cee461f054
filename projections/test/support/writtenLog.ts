import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, LogSubscriber } from '@roomwire/shared/ports/eventLog';

type Events = readonly RecordedEvent[];

interface WrittenLog extends EventLog {
  /** The batches that were read. */
  readonly read: readonly Events[];
  /** Gives events to whoever follows it; resolves once they have been taken. */
  deliver(...events: Events): Promise<void>;
  /** Tells whoever follows it that this was all. */
  caughtUp(): void;
  /** The position behind which it was followed. */
  readonly followedFrom: string | undefined;
  /** Whether it is being followed now. */
  readonly isFollowed: boolean;
}

/** A log that holds these events and gets no others: the test gives them to the subscriber. Each list is read as one batch. */
export const writtenLog = (...batches: readonly Events[]): WrittenLog => {
  const events = batches.flat();
  const read: Events[] = [];
  let following: { readonly subscriber: LogSubscriber; readonly fail: (error: unknown) => void } | undefined;
  const log = {
    read,
    followedFrom: undefined as string | undefined,
    isFollowed: false,
    head: async () => events.at(-1)?.position,
    identity: async () => events[0]?.id,
    readAt: async (position: string) => events.find((event) => event.position === position),
    async *readAll(after = '') {
      for (const batch of batches) {
        const rest = batch.filter(({ position }) => position > after);
        if (rest.length === 0) continue;
        read.push(rest);
        yield rest;
      }
    },
    async deliver(...delivered: Events) {
      await following?.subscriber.onEvents(delivered).catch((error: unknown) => following?.fail(error));
    },
    caughtUp: () => following?.subscriber.onCaughtUp?.(),
    subscribeAll(after: string | undefined, subscriber: LogSubscriber) {
      log.followedFrom = after;
      log.isFollowed = true;
      let end: () => void = () => undefined;
      let fail: (error: unknown) => void = () => undefined;
      const done = new Promise<void>((resolve, reject) => ([end, fail] = [resolve, reject]));
      following = { subscriber, fail };
      const close = async () => {
        log.isFollowed = false;
        end();
      };
      return { done, close };
    },
  };
  return log as unknown as WrittenLog;
};
