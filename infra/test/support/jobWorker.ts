import { FrameClient } from '@roomwire/testing/clients/frameClient';

/** More often than a gateway asks for a sign of life. */
const beatMs = 15_000;

/** A member of the group "workers" with jobs. It keeps what it gets until it is told to acknowledge. */
export class JobWorker {
  /** What each job said, in the order of their coming: once more for each hand-out. */
  readonly got: unknown[] = [];
  private readonly client: FrameClient;
  private readonly held = new Map<string, unknown>();
  private readonly beats: NodeJS.Timeout;
  private isAcknowledging = false;

  private constructor(client: FrameClient) {
    this.client = client;
    this.beats = setInterval(() => client.sendBytes(new Uint8Array()), beatMs).unref();
  }

  static async join(url: string, token: string, topic: string, jobs: object): Promise<JobWorker> {
    const client = await FrameClient.join(url, token);
    await client.subscribe(topic, { loadBalance: true, loadBalanceGroup: 'workers', jobs });
    const worker = new JobWorker(client);
    void worker.read();
    return worker;
  }

  /** Acknowledges what it has for which this holds. */
  acknowledge(which: (data: unknown) => boolean): void {
    for (const [msgId, data] of this.held) if (which(data)) this.settle(msgId);
  }

  /** Acknowledges what it has, and from now on whatever comes. */
  acknowledgeAll(): void {
    this.isAcknowledging = true;
    this.acknowledge(() => true);
  }

  get isConnected(): boolean {
    return !this.client.isClosed;
  }

  end(): void {
    clearInterval(this.beats);
    this.client.terminate();
  }

  private settle(msgId: string): void {
    this.held.delete(msgId);
    this.client.send({ type: 'ack', msgId });
  }

  private async read(): Promise<void> {
    void this.client.closed.then(() => clearInterval(this.beats));
    while (!this.client.isClosed) {
      // None for a while is no fault of it.
      const frame = await this.client.next().catch(() => undefined);
      if (frame === undefined || frame === 'heartbeat' || frame['type'] !== 'message') continue;
      const { msgId, data } = frame as { readonly msgId: string; readonly data: unknown };
      this.got.push(data);
      this.held.set(msgId, data);
      if (this.isAcknowledging) this.settle(msgId);
    }
  }
}
