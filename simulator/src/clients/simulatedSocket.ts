import { Buffer } from 'node:buffer';
import type { FrameReceiver, FrameSocket } from '@roomwire/gateway/socket/wsListener';
import type { CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { Place } from '../cluster/cluster.js';
import type { SimulatedProcess } from '../cluster/simulatedProcess.js';
import type { Network } from '../engines/network.js';

/** The client's end. */
export interface SocketEvents {
  onFrame(payload: Uint8Array): void;
  /** Once; nothing comes after it. */
  onClosed(code: number): void;
}

/** How long it may take until one end notices that the other one is gone. */
const longestSilenceMs = 8_000;

/** A connection between a client and a gateway, which delays and never reorders. */
export class SimulatedSocket implements FrameSocket {
  readonly bufferedBytes = 0;
  readonly isAmidFragments = false;
  private readonly network: Network;
  private readonly process: SimulatedProcess;
  private readonly client: SocketEvents;
  private readonly forget: () => void;
  private receiver: FrameReceiver | undefined;
  private reports = new Set<(bytes: number) => void>();
  private held: Buffer[] = [];
  private isPaused = false;
  private lastUp = 0;
  private lastDown = 0;
  private isClosing = false;
  private isGone = false;

  /** Undefined where no gateway takes it. */
  static open(
    { process, service }: Place,
    network: Network,
    client: SocketEvents,
  ): SimulatedSocket | undefined {
    if (service?.gateway === undefined || !process.isAlive) return undefined;
    const { gateway, onEnd } = service;
    const crashed = (): void => socket.breakOff();
    const socket = new SimulatedSocket(process, network, client, () => onEnd.delete(crashed));
    onEnd.add(crashed);
    socket.up(() => {
      socket.receiver = gateway.accept(socket, '192.0.2.1');
      if (!socket.receiver) socket.terminate();
    });
    return socket;
  }

  private constructor(process: SimulatedProcess, network: Network, client: SocketEvents, forget: () => void) {
    this.process = process;
    this.network = network;
    this.client = client;
    this.forget = forget;
  }

  // The client's end.

  send(payload: Uint8Array): void {
    const bytes = Buffer.from(payload);
    this.up(() => {
      for (const report of this.reports) report(bytes.length + 6);
      if (this.isPaused) this.held.push(bytes);
      else this.receiver?.onFrame(bytes, false);
    });
  }

  /** With the closing handshake. */
  leave(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.up(() => {
      this.receiver?.onClosing();
      this.ended(1005);
    });
  }

  /** Without. */
  vanish(): void {
    if (this.isGone) return;
    this.isGone = true;
    const at = this.network.time.now + this.network.chance.next() * longestSilenceMs;
    this.lastUp = Math.max(this.lastUp, at);
    this.up(() => this.ended(1006));
  }

  // The gateway's end.

  write(frames: Buffer): void {
    if (this.isClosing || !this.process.isAlive) return;
    const bytes = Buffer.from(frames);
    this.down(() => {
      for (const payload of payloadsOf(bytes)) if (!this.isGone) this.client.onFrame(payload);
    });
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    for (const bytes of this.held.splice(0)) this.receiver?.onFrame(bytes, false);
  }

  close({ code }: CloseSpec): void {
    if (this.isClosing || !this.process.isAlive) return;
    this.isClosing = true;
    this.down(() => {
      this.gone(code);
      this.up(() => this.ended(code));
    });
  }

  terminate(): void {
    if (!this.process.isAlive) return;
    this.isClosing = true;
    this.down(() => this.gone(1006));
    this.up(() => this.ended(1006));
  }

  bound(): boolean {
    return true;
  }

  onRead(report: (bytes: number) => void): () => void {
    this.reports.add(report);
    return () => void this.reports.delete(report);
  }

  private breakOff(): void {
    const { time, chance } = this.network;
    time.after(undefined, chance.next() * longestSilenceMs, () => this.gone(1006));
  }

  private gone(code: number): void {
    if (this.isGone) return;
    this.isGone = true;
    this.client.onClosed(code);
  }

  private ended(code: number): void {
    this.forget();
    this.isClosing = true;
    this.receiver?.onClosed(code);
    this.receiver = undefined;
  }

  private up(arrive: () => void): void {
    const { time } = this.network;
    this.lastUp = Math.max(this.lastUp, time.now + this.network.delay());
    time.at(this.process, this.lastUp, arrive);
  }

  private down(arrive: () => void): void {
    const { time } = this.network;
    this.lastDown = Math.max(this.lastDown, time.now + this.network.delay());
    time.at(undefined, this.lastDown, arrive);
  }
}

/** Of the frames that a gateway writes: whole, binary and not masked. */
function* payloadsOf(bytes: Buffer): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length;) {
    const short = bytes[at + 1] as number;
    const header = short < 126 ? 2 : short === 126 ? 4 : 10;
    const length =
      short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUInt32BE(at + 6);
    yield bytes.subarray(at + header, at + header + length);
    at += header + length;
  }
}
