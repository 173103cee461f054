import type { Client, RoomwireError, Watch } from '@roomwire/sdk';
import { afterFormer } from './afterFormer.js';
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

  constructor(client: Client, roomId: string) {
    super({ present: undefined, error: undefined });
    this.client = client;
    this.roomId = roomId;
  }

  protected override open(): () => void {
    // A client counts a room once.
    return afterFormer(this.client, `count ${this.roomId}`, () => {
      let counting: Promise<Watch> | undefined;
      const count = (): Promise<Watch> => {
        const former = counting;
        const next = this.client.count(this.roomId, (present) => this.change({ present, error: undefined }));
        counting = next.catch((error: RoomwireError) => {
          // It still counts.
          if (former !== undefined && error.error === 'subscription_conflict') return former;
          throw error;
        });
        return counting;
      };
      const stop = onceConnected(this.client, this.roomId, count, {
        onDone: () => undefined,
        onError: (error) => this.change({ present: undefined, error }),
      });
      return async () => {
        stop();
        await counting?.then(
          (watch) => watch.stop(),
          () => undefined,
        );
      };
    });
  }
}
