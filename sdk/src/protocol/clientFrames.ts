import type { Filter, PresenceData, Qos, StartingPoint } from './frames.js';

/** What the server is asked for of a worker group with jobs. */
export interface JobsField {
  readonly prefetch: number | undefined;
  readonly ackSeconds: number | undefined;
  readonly maxDeliveries: number | undefined;
}

/** The frames that this version sends. */
export type ClientFrame =
  | {
      readonly type: 'auth';
      readonly token: string;
      readonly protocolVersion: 2;
      readonly reconnect: boolean;
      readonly clientId: string | undefined;
      readonly projectId: string | undefined;
      readonly features: true;
      readonly notices: true | undefined;
      readonly sdk: string;
    }
  | { readonly type: 'reauth'; readonly token: string }
  | {
      readonly type: 'subscribe';
      readonly topic: string;
      readonly qos: Qos | undefined;
      readonly filters: readonly Filter[] | undefined;
      readonly loadBalance: boolean | undefined;
      readonly loadBalanceGroup: string | undefined;
      readonly meta: true | undefined;
      readonly own: true | undefined;
      readonly from: StartingPoint | undefined;
      readonly jobs: JobsField | undefined;
    }
  | {
      readonly type: 'history';
      readonly topic: string;
      readonly before: string | undefined;
      readonly after: string | undefined;
      readonly limit: number;
      readonly ref: string;
    }
  | { readonly type: 'setFilters'; readonly topic: string; readonly filters: readonly Filter[] }
  | { readonly type: 'unsubscribe'; readonly topic: string }
  | {
      readonly type: 'publish';
      readonly topic: string;
      readonly data: unknown;
      readonly qos: Qos | undefined;
      readonly retain: boolean | undefined;
      readonly filter: string | undefined;
      readonly filters: readonly string[] | undefined;
      readonly msgRef: string;
      readonly id: string | undefined;
      /** Unix milliseconds. */
      readonly deliverAt: number | undefined;
    }
  | { readonly type: 'ack' | 'progress'; readonly msgId: string }
  | { readonly type: 'nack'; readonly msgId: string; readonly delaySeconds: number | undefined }
  | {
      readonly type: 'presence';
      readonly roomId: string;
      readonly data: PresenceData;
      readonly keep: true | undefined;
    }
  | { readonly type: 'presence'; readonly roomId: string; readonly leave: true }
  | { readonly type: 'presence'; readonly roomId: string; readonly mode: 'count' }
  | { readonly type: 'getPresence'; readonly roomId?: string }
  | {
      readonly type: 'lobbySubscribe' | 'lobbyUnsubscribe' | 'getLobbyPresence';
      readonly lobbyId: string;
    };
