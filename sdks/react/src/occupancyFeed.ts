import type { Client, RoomwireError, Watch } from '@roomwire/sdk';
import { Feed } from './feed.js';
import { onceConnected } from './onceConnected.js';

export interface OccupancyState {
  /** How many actors are in the room, at most a second old; undefined until it is known, and as it was last without a connection. */
  readonly present: number | undefined;
  readonly error: RoomwireError | undefined;
}

/** Counts who is in a room, without entering it. */
export class OccupancyFeed extends Feed<OccupancyState> {
  private readonly client: Client;
  private readonly roomId: string;
  /** A client counts a room once. */
  private former: Promise<void> = Promise.resolve();

  constructor(client: Client, roomId: string) {
    super({ present: undefined, error: undefined });
    this.client = client;
    this.roomId = roomId;
  }

  protected override open(): () => void {
    let counting: Promise<Watch> | undefined;
    let isOver = false;
    const stop = onceConnected(
      this.client,
      async () => {
        await this.former;
        if (isOver) return;
        counting = this.client.count(this.roomId, (present) => {
          if (!isOver) this.change({ present, error: undefined });
        });
        await counting;
      },
      (error) => this.change({ error }),
    );
    return () => {
      isOver = true;
      stop();
      if (counting === undefined) return;
      this.former = counting.then(
        (watch) => watch.stop(),
        () => undefined,
      );
    };
  }
}
