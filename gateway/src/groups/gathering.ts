import type { RecordKey } from '@roomwire/shared/wire/bus/groupRecord';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import type { GroupBounds, GroupSnapshot } from './groupState.js';
import { StateCollector, type StatePart } from './stateParts.js';

/** A state, with what has happened since. */
export interface Adoption {
  readonly snapshot: GroupSnapshot;
  readonly since: readonly RoomRecord[];
}

/** What a gateway has read of a group while it does not have the group's state. */
export class Gathering {
  /** Messages that did not fit in. */
  dropped = 0;
  private readonly bounds: GroupBounds;
  private readonly collector = new StateCollector();
  private gathered: RoomRecord[] = [];
  private messages = 0;
  private bytes = 0;

  constructor(bounds: GroupBounds) {
    this.bounds = bounds;
  }

  add(record: RoomRecord): void {
    this.gathered.push(record);
    if (isGroupRecord(record)) return;
    this.messages++;
    this.bytes += record.body.length;
    while (this.messages > this.bounds.messages || this.bytes > this.bounds.bytes) this.drop();
  }

  /** Undefined until all parts of a state are there that can be continued with what was read. */
  adopt(part: StatePart): Adoption | undefined {
    const snapshot = this.collector.add(part);
    if (snapshot === undefined) return undefined;
    const at = this.gathered.findIndex((record) => isGroupRecord(record) && hasKey(record, part.after));
    return at < 0 ? undefined : { snapshot, since: this.gathered.slice(at + 1) };
  }

  /** Everything, which is forgotten here. */
  take(): readonly RoomRecord[] {
    const taken = this.gathered;
    this.gathered = [];
    this.messages = this.bytes = 0;
    return taken;
  }

  private drop(): void {
    const at = this.gathered.findIndex((record) => !isGroupRecord(record));
    const [record] = this.gathered.splice(at, 1);
    if (record === undefined || isGroupRecord(record)) return;
    this.messages--;
    this.bytes -= record.body.length;
    this.dropped++;
  }
}

const hasKey = (record: { gatewayId: string; ref: number }, [gatewayId, ref]: RecordKey): boolean =>
  record.gatewayId === gatewayId && record.ref === ref;
