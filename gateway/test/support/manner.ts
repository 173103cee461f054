import type { GatewayNews } from '@roomwire/shared/wire/bus/gatewayNews';
import type { PresenceNews } from '@roomwire/shared/wire/bus/presenceNews';

export type News = GatewayNews | PresenceNews;

/** What a gateway does with the bus in its own way. */
export interface Manner {
  /** What becomes of a record that it sends. */
  readonly writes?: (news: News) => News;
  /** Whether a record reaches it. */
  readonly reads?: (news: News) => boolean;
  /** Whether its bus knows what the others read; it does unless this is false. */
  readonly knowsReaders?: boolean;
}

/** A gateway of a program that knew neither accounts nor leases. */
export const earlier: Manner = {
  writes: (news) => {
    if (news.kind === 'hello') return { kind: 'hello', gatewayId: news.gatewayId };
    if (news.kind === 'ask') return { kind: 'ask', gatewayId: news.gatewayId, to: news.to };
    if (news.kind !== 'beat') return news;
    const { connections, presenceSequence } = news.report;
    return { ...news, report: { connections, presenceSequence } };
  },
  reads: ({ kind }) => kind !== 'account' && kind !== 'leases',
};
