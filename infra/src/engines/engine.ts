import type { FactIndexer } from '@roomwire/shared/adapters/connection-record/factIndexer';
import type { HistoryArchiver } from '@roomwire/shared/adapters/history/historyArchiver';
import type { DataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import type { KafkaGroups } from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import type { ActivityStore } from '@roomwire/shared/ports/activityStore';
import type { AccessLog } from '@roomwire/shared/ports/accessLog';
import type { AuditIndex } from '@roomwire/shared/ports/auditIndex';
import type { ConnectionRecord } from '@roomwire/shared/ports/connectionRecord';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { EventLog, LogOrigin, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { History } from '@roomwire/shared/ports/history';
import type { HistoryIndex } from '@roomwire/shared/ports/historyIndex';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MeasuredBus } from '@roomwire/shared/ports/messageBus';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import type { PayloadLimits, PayloadStore } from '@roomwire/shared/ports/payloadStore';
import type { PublishIdStore } from '@roomwire/shared/ports/publishIds';
import type { ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { ShardLeases } from '@roomwire/shared/ports/shardLeases';
import type { RoomEventStore } from '@roomwire/shared/ports/roomEventStore';
import type { RoomPast } from '@roomwire/shared/ports/roomPast';
import type { SessionStore } from '@roomwire/shared/ports/sessionStore';
import type { SnapshotStore } from '@roomwire/shared/ports/snapshotStore';
import type { RegisteredReader, ViewStores } from '@roomwire/shared/ports/viewStore';
import type { OutageReport } from '@roomwire/shared/runtime/outage';
import type { VariableReader } from '../environment.js';
import type { Finding } from './finding.js';
import type { Remedies } from './refusals.js';

/** What an engine is opened with. */
export interface OpenContext {
  /** The data folder, which this process owns from the first call on. */
  readonly folder: () => Promise<DataFolder>;
  readonly messageRecording: boolean;
  readonly payloadLimits: PayloadLimits;
  /** Of the record of connections, on files. */
  readonly connectionRecordBytes: number;
  /** How long the id of a publish stands for its message. */
  readonly deduplicationMs: number;
  /** What is kept of messages, by topic. */
  readonly historyIndex: () => Promise<HistoryIndex>;
  /** The process as a reader of the read models; undefined where it only writes them, and for commands. */
  readonly reader: RegisteredReader | undefined;
  readonly logger: Logger;
  /** Of this engine. */
  readonly outage: OutageReport;
}

export interface Engine {
  /** As people know it; `files` for the data folder. */
  readonly name: string;
  /** Whether the data is in the data folder, which one process owns. */
  readonly onFiles: boolean;
  /** As the environment has them. Only the engine itself reads them. */
  readonly settings: object;
  readonly remedies: Remedies;
}

export interface EventLogEngine extends Engine {
  open(context: OpenContext): Promise<EventLog>;
  /** What the doctor reports of it; rejects where it is out of reach. */
  inspect(): Promise<readonly Finding[]>;
  /** Read beside the processes that use it. Absent on files, which one process owns. */
  readonly openBeside?: () => Promise<EventLog>;
}

/** What follows the event log and keeps a checkpoint. */
export type LogFollower = 'read models' | 'audit index';

export interface FollowerCheckpoint {
  /** Undefined where nothing has been made yet. */
  readonly checkpoint: LogPosition | undefined;
  readonly origin: LogOrigin | undefined;
}

export interface ReadModelInspection {
  readonly findings: readonly Finding[];
  /** Undefined where the files themselves are inspected. */
  readonly checkpoints: ReadonlyMap<LogFollower, FollowerCheckpoint> | undefined;
}

/** The read models, and what is stored beside them. */
export interface ReadModelEngine extends Engine {
  openViewStores(context: OpenContext): Promise<ViewStores>;
  openAuditIndex(context: OpenContext): Promise<AuditIndex>;
  openSessions(context: OpenContext): Promise<SessionStore>;
  openGroups(context: OpenContext): Promise<GroupStore>;
  openPayloads(context: OpenContext): Promise<PayloadStore>;
  openAccessLog(context: OpenContext): Promise<AccessLog>;
  openActivity(context: OpenContext): Promise<ActivityStore>;
  openSnapshots(context: OpenContext): Promise<SnapshotStore>;
  openPublishIds(context: OpenContext): Promise<PublishIdStore>;
  openHistoryIndex(context: OpenContext): Promise<HistoryIndex>;
  openRoomEvents(context: OpenContext): Promise<RoomEventStore>;
  openSchedules(context: OpenContext): Promise<ScheduleStore>;
  openJobs(context: OpenContext): Promise<JobStore>;
  openShardLeases(context: OpenContext): Promise<ShardLeases>;
  openConnectionRecord(context: OpenContext): Promise<ConnectionRecord>;
  inspect(): Promise<ReadModelInspection>;
  /** The documents that cannot be made from events. Absent on files, which a backup copies as they are. */
  readonly keptDocuments?: {
    read(write: (lines: readonly string[]) => Promise<void>): Promise<unknown>;
    write(lines: AsyncIterable<string>): Promise<unknown>;
  };
}

export interface OpenedBus {
  readonly bus: MeasuredBus;
  /** On the connections of the bus, which closes after it. */
  openMessageStore(): Promise<MessageStore>;
  /** Reads all of a channel together with the other members of a group. Absent on files. */
  readonly follow?: KafkaGroups['follow'];
  openHistory(): Promise<History>;
  /** Absent on files, where nothing is on the bus any more once it was delivered. */
  readonly openRoomPast?: () => Promise<RoomPast>;
  /** Absent on files, where messages are in the index before they are delivered. */
  readonly openArchiver?: (clock: Clock) => Promise<HistoryArchiver>;
  /** Absent on files, where gateways write into the record of connections themselves. */
  readonly openFactIndexer?: (record: ConnectionRecord) => Promise<FactIndexer>;
}

export interface BusEngine extends Engine {
  open(context: OpenContext): Promise<OpenedBus>;
  inspect(options: Pick<OpenContext, 'messageRecording'>): Promise<readonly Finding[]>;
}

/** A row of the table of engines. */
export interface EngineRow<E extends Engine> {
  /** The variable that chooses the engine. */
  readonly variable: string;
  /** Undefined where the variable is not set. */
  readonly read: (read: VariableReader, problems: string[]) => E | undefined;
}
