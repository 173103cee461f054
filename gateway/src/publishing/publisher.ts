import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { markOf } from '@roomwire/shared/wire/bus/messageId';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import { PublishLine } from './publishLine.js';

/** Limit of unacknowledged publishes per publisher; beyond it the next frame waits. */
const maxUnacknowledged = 1_000;

/** The message of a publish that was accepted, or of the earlier one that had its id. */
export interface PublishedMessage {
  readonly messageId: string;
  readonly isDuplicate: boolean;
  /** In its partition; undefined for an earlier message, negative where it is not waited for. */
  readonly offset?: number;
  /** Of one that is to be delivered later, and when. */
  readonly scheduledId?: string;
  readonly deliverAt?: number;
}

/** Learns what has become of each publish. */
export interface PublishAnswers {
  /** Whether nobody waits for them any more: what is not on its way to the bus is not sent. */
  readonly areOver: boolean;
  /** What all that is not admitted yet is refused with; undefined as long as each is judged for itself. */
  readonly ended?: ProtocolErrorName | undefined;
  /** It counts as accepted: it is within the quota, or waits to know that. */
  counted(): void;
  accepted(frame: PublishFrame, published: PublishedMessage): void;
  refused(frame: PublishFrame, error: ProtocolErrorName): void;
}

/** The publishes of one connection or request that are under way. */
export class Publisher {
  /** In the ids of its messages; undefined for a publisher without a socket. */
  readonly mark: string | undefined;
  readonly answers: PublishAnswers;
  private recordings: PublishLine | undefined;
  private claims: PublishLine | undefined;
  private unacknowledged = 0;

  constructor(connection: string | undefined, answers: PublishAnswers) {
    this.mark = connection === undefined ? undefined : markOf(connection);
    this.answers = answers;
  }

  /** Those that wait until they are recorded, and those behind them; undefined where none waits. */
  get waitingForRecord(): PublishLine | undefined {
    return this.recordings?.isEmpty === false ? this.recordings : undefined;
  }

  /** Those whose ids are being decided, and those behind them; undefined where none waits. */
  get waitingForId(): PublishLine | undefined {
    return this.claims?.isEmpty === false ? this.claims : undefined;
  }

  get recordLine(): PublishLine {
    return (this.recordings ??= new PublishLine());
  }

  get idLine(): PublishLine {
    return (this.claims ??= new PublishLine());
  }

  /** Whether its next frame has to wait. */
  get isFarAhead(): boolean {
    return this.unacknowledged > maxUnacknowledged;
  }

  begin(): void {
    this.unacknowledged++;
  }

  end(): void {
    this.unacknowledged--;
  }
}
