import type { StartPoint } from '@roomwire/shared/wire/protocol/startPoint';
import type { HistoryTopic } from '@roomwire/shared/ports/history';

/** Why something is missing, as clients are told. */
export interface Gap {
  readonly reason: string;
  readonly after?: string;
  readonly before?: string;
}

/** [WS-HIST-4] What the answer to `subscribe` says of the messages before the live ones, and what came of them. */
export interface Beginning {
  readonly from: StartPoint | undefined;
  readonly refusesGaps: boolean;
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly position: string;
  readonly continuity: string | undefined;
  readonly gap: Gap | undefined;
  /** As `replayStart` says. */
  count: number;
  /** Whether `replayEnd` has come. */
  isReplayed: boolean;
}

export interface RecordRequest {
  readonly topic: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** [WS-HIST-12] [HTTP-HIST-1] A page of the record, as it was answered. */
export interface RecordRead extends RecordRequest {
  /** Who has asked. */
  readonly by: string;
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly messages: readonly { readonly id: number; readonly position: string }[];
  readonly next: string | undefined;
  readonly gap: Gap | undefined;
}

/** Something that removes messages of the topic: in one room, or, where the room is undefined, in all of them. */
export interface RecordChange {
  readonly name: string;
  readonly room: string | undefined;
  /** `off`: it has no history any more. */
  readonly kind: 'deleted' | 'off' | 'configured';
  readonly askedAt: number;
  /** Infinite where there was no answer that says what is. */
  readonly answeredAt: number;
}

/** A record of `messages`. */
export interface StoredPlace {
  readonly offset: number;
  /** Undefined for one that is not kept. */
  readonly keptIn: HistoryTopic | undefined;
}
