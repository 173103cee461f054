import { Buffer } from 'node:buffer';
import { decode, encode } from '@msgpack/msgpack';
import { clientFrame } from '../generator/frames.js';
import { type Connection, FrameReader, openConnection } from '../generator/connection.js';

/** A frame of the server, decoded. */
export type Frame = Readonly<Record<string, unknown>> & { readonly type: string };

/** Events of a connection, for its owner. */
export interface LinkOwner {
  /** Every frame that answers no request. */
  onFrame(frame: Frame): void;
  /** The service has closed it. `reason` is that of the close frame, if there was one. */
  onClosed(reason: string | undefined): void;
}

/** The link has ended before the answer. */
export class LinkEnded extends Error {
  override readonly name = 'LinkEnded';
}

interface Question {
  readonly answer: string;
  /** Of the echo that is the answer to a heartbeat. */
  readonly beat: number;
  readonly answered: (frame: Frame) => void;
  readonly failed: (error: Error) => void;
}

const closeOpcode = 8;
const codeBytes = 2;
const normalClosure = Buffer.from([0x03, 0xe8]);
const echo: Frame = { type: 'heartbeat' };
const heartbeat = clientFrame(new Uint8Array());

/** One connection to the service. Its owner asks one thing at a time; publishes go beside that. */
export class Link {
  isOver = false;
  private readonly connection: Connection;
  private readonly owner: LinkOwner;
  private question: Question | undefined;
  private reason: string | undefined;
  private beats = 0;
  private echoes = 0;

  private constructor(connection: Connection, owner: LinkOwner) {
    this.connection = connection;
    this.owner = owner;
    connection.receiver = new FrameReader((frame) => this.take(frame as Frame), decoded);
    void connection.closed.then(() => this.closed());
  }

  static async open(port: number, owner: LinkOwner): Promise<Link> {
    return new Link(await openConnection(port, '/ws', { receive: () => undefined }), owner);
  }

  send(frame: Readonly<Record<string, unknown>>): void {
    if (!this.isOver) this.connection.write(clientFrame(encode(frame, { ignoreUndefined: true })));
  }

  /** Calls `take` with the answer, before any frame behind it is looked at. Rejects when it is refused, or with `LinkEnded`. */
  ask(frame: Readonly<Record<string, unknown>>, answer: string, take: (frame: Frame) => void): Promise<void> {
    this.send(frame);
    return this.expect(answer, 0, take);
  }

  /** Resolves when the service has done with all frames before. */
  settle(): Promise<void> {
    this.beat();
    return this.expect(echo.type, this.beats, () => undefined);
  }

  /** Keeps the link open. */
  beat(): void {
    if (this.isOver) return;
    this.beats += 1;
    this.connection.write(heartbeat);
  }

  get isAsking(): boolean {
    return this.question !== undefined;
  }

  /** As a client says goodbye. */
  leave(): void {
    if (!this.isOver) this.connection.write(clientFrame(normalClosure, closeOpcode));
    this.end();
  }

  /** As a network goes away: without a word. */
  lose(): void {
    this.connection.end();
    this.end();
  }

  private expect(answer: string, beat: number, take: (frame: Frame) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.isOver) return reject(new LinkEnded(answer));
      const answered = (frame: Frame): void => {
        take(frame);
        resolve();
      };
      this.question = { answer, beat, answered, failed: reject };
    });
  }

  private take(frame: Frame): void {
    const { opcode, text } = frame as unknown as { readonly opcode?: number; readonly text?: string };
    if (opcode === closeOpcode) this.reason = text?.slice(codeBytes);
    if (opcode !== undefined || this.isOver) return;
    if (frame === echo) this.echoes += 1;
    const question = this.question;
    if (question !== undefined && isAnswer(frame, question, this.echoes)) {
      this.question = undefined;
      question.answered(frame);
    } else if (question !== undefined && frame.type === 'error' && frame.msgRef === undefined) {
      this.question = undefined;
      question.failed(new Error(`${question.answer} was refused: ${JSON.stringify(frame)}`));
    } else if (frame !== echo) {
      this.owner.onFrame(frame);
    }
  }

  private closed(): void {
    if (this.isOver) return;
    this.end();
    this.owner.onClosed(this.reason);
  }

  private end(): void {
    this.isOver = true;
    this.question?.failed(new LinkEnded(this.question.answer));
    this.question = undefined;
  }
}

const isAnswer = (frame: Frame, { answer, beat }: Question, echoes: number): boolean =>
  frame.type === answer && (beat === 0 || beat === echoes);

const decoded = (payload: Uint8Array): unknown => (payload.length === 0 ? echo : decode(payload));
