import type { GroupFollower } from '../../../src/adapters/message-bus/kafka/groupReader.js';
import type { PartitionLog } from '../history/partitionLog.js';

/** A member of the group that gets what a test says. */
export class GroupMember {
  isPaused = false;
  isClosed = false;
  from: number;
  private readonly log: PartitionLog;
  private readonly follower: GroupFollower;

  constructor(log: PartitionLog, follower: GroupFollower) {
    this.log = log;
    this.follower = follower;
    this.from = follower.nextOffset(0) ?? log.low;
  }

  feed(most = Number.POSITIVE_INFINITY): void {
    if (this.log.high < this.from) return this.follower.cut(0);
    const first = Math.max(this.from, this.log.low);
    const messages = this.log.from(first, Math.min(first + most, this.log.high));
    if (messages.length === 0) return;
    this.from = first + messages.length;
    this.follower.take({ partition: 0, first, messages, next: this.from });
  }

  lose(): void {
    this.follower.lost(0);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  async commit(): Promise<void> {}

  async close(): Promise<void> {
    this.isClosed = true;
    this.lose();
  }
}
