/** An event as it lies in the log. Its position is both its commit and its prepare position, as since version 20 of the real one. */
export interface StoredEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  /** 100 ns since 1970, as text. */
  readonly created: string;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** What a client wants to have appended. */
export type ProposedEvent = Pick<StoredEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

/** As one line of the file: the events of one append, which are stored together or not at all. */
export const toLine = (events: readonly StoredEvent[]): string =>
  `${JSON.stringify(
    events.map((event) => ({
      ...event,
      position: String(event.position),
      data: event.data.toString('base64'),
      metadata: event.metadata.toString('base64'),
    })),
  )}\n`;

type EventInLine = Record<keyof StoredEvent, string> & { readonly revision: number };

export const fromLine = (line: string): StoredEvent[] =>
  (JSON.parse(line) as EventInLine[]).map((event) => ({
    ...event,
    position: BigInt(event.position),
    data: Buffer.from(event.data, 'base64'),
    metadata: Buffer.from(event.metadata, 'base64'),
  }));
