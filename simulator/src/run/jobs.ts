/** [WS-JOB-1] What a member asks its group for. */
export interface JobOptions {
  readonly prefetch: number;
  readonly ackSeconds: number;
  readonly maxDeliveries: number;
}

/** What a member has answered. */
export interface JobAnswer {
  readonly kind: 'ack' | 'nack' | 'progress';
  readonly at: number;
  /** The gateway has closed the connection, and may have done so before this came. */
  isUnread: boolean;
}

/** One hand-out of a job, as its member has seen it. */
export interface HandedOut {
  readonly connection: number;
  readonly topic: string;
  /** Of the message. */
  readonly id: number;
  readonly msgId: string;
  readonly at: number;
  /** Whether its connection is known to be a member: an ordinary subscription gets messages that look the same. */
  readonly isCertain: boolean;
  /** [WS-JOB-2] 1 where it is not said. */
  readonly delivery: number;
  readonly answers: JobAnswer[];
}
