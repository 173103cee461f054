import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';

/** A table with texts, which may have other keys, too. */
interface StateTable {
  get(key: 'checkpoint' | 'origin'): unknown;
  putSync(key: 'checkpoint' | 'origin', value: string): unknown;
  removeSync(key: 'checkpoint' | 'origin'): unknown;
}

/** How far a store has followed the event log, in its own file. */
export class FollowProgress {
  private readonly state: StateTable;

  constructor(state: StateTable) {
    this.state = state;
  }

  get checkpoint(): LogPosition | undefined {
    return this.state.get('checkpoint') as LogPosition | undefined;
  }

  get origin(): LogOrigin | undefined {
    const origin = this.state.get('origin') as string | undefined;
    return origin === undefined ? undefined : (JSON.parse(origin) as LogOrigin);
  }

  /** Within a transaction. Undefined for the beginning. Without an origin the former one stays. */
  move(position: LogPosition | undefined, origin?: LogOrigin): void {
    if (position === undefined) {
      this.state.removeSync('checkpoint');
      this.state.removeSync('origin');
      return;
    }
    this.state.putSync('checkpoint', position);
    if (origin !== undefined) this.state.putSync('origin', JSON.stringify(origin));
  }
}
