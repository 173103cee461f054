import { gatewayNews, type GatewayNews, type GatewayReport } from '@roomwire/shared/wire/bus/gatewayNews';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ChannelReader, MessageBus } from '@roomwire/shared/ports/messageBus';
import { FailureDetector } from '@roomwire/shared/runtime/failureDetector';

/** Receives the messages between gateways, including this gateway's own. */
export interface PeerListener {
  onNews(news: GatewayNews): void;
  /** `forGood` after a goodbye; a gateway that was silent may come back. */
  onGone(gatewayId: string, forGood: boolean): void;
}

export interface PeersDeps {
  readonly gatewayId: string;
  readonly bus: MessageBus;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly beatMs: number;
  readonly silenceMs: number;
  readonly report: () => GatewayReport;
  readonly listener: PeerListener;
}

/** Checks for silent peers per heartbeat interval. */
export const ticksPerBeat = 3;

/** The gateways on the bus: their liveness and their reports. */
export class Peers {
  private readonly deps: PeersDeps;
  private readonly detector: FailureDetector;
  private readonly lastReports = new Map<string, GatewayReport>();
  private reader: ChannelReader | undefined;
  private ticks = 0;
  private heartbeats = 0;
  private lastHeartbeat = { number: 0, sentAt: 0 };
  private isSending = false;
  private heardUntil = Number.NEGATIVE_INFINITY;
  private absent = 0;

  constructor(deps: PeersDeps) {
    this.deps = deps;
    this.detector = new FailureDetector({ silenceMs: deps.silenceMs, readingMs: (deps.beatMs * 4) / 3 });
  }

  /** The last report of every live gateway, including this one. */
  get reports(): ReadonlyMap<string, GatewayReport> {
    return this.lastReports;
  }

  /** How many live processes take sockets, this one included. */
  get gateways(): number {
    return [...this.lastReports.values()].filter(({ keepsPresences }) => keepsPresences !== false).length;
  }

  /** Whether all live gateways know members of worker groups that get what their own actor publishes, as far as is known. */
  get knowOwn(): boolean {
    return [...this.lastReports.values()].every(({ knowsOwn }) => knowsOwn === true);
  }

  /** The other live gateways; a new list whenever one comes or goes. */
  get others(): readonly string[] {
    return this.detector.peers;
  }

  /** Those of the others that take sockets, as far as is known. */
  get otherGateways(): readonly string[] {
    return this.others.filter((id) => this.lastReports.get(id)?.keepsPresences !== false);
  }

  /** Whether another gateway has missed two heartbeats, or is not known: it may have ended. */
  isSilent(gatewayId: string): boolean {
    return this.detector.silentFor(gatewayId, this.deps.clock.monotonic()) > 2 * this.deps.beatMs;
  }

  /** Whether it takes leases, as far as is known: its first report says so. */
  takesLeases(gatewayId: string): boolean {
    const report = this.lastReports.get(gatewayId);
    return report === undefined || report.takesLeases === true;
  }

  /** How often this gateway was not heard, its start included. */
  get absences(): number {
    return this.absent;
  }

  /** Whether none of the others can have taken this gateway for dead. */
  get isHeard(): boolean {
    return this.deps.clock.monotonic() < this.heardUntil;
  }

  async listen(): Promise<void> {
    this.reader = await this.deps.bus.read(gatewayNews, { interest: 'all' }, (news) => this.take(news));
  }

  /** Must be called once the answers of the others can be read. */
  async sendHello(): Promise<void> {
    const { gatewayId, report } = this.deps;
    await this.send({ kind: 'hello', gatewayId, report: report() });
    this.sendHeartbeat();
  }

  /** The presences of this gateway must have been withdrawn. */
  async close(): Promise<void> {
    await this.send({ kind: 'goodbye', gatewayId: this.deps.gatewayId });
    await this.reader?.close();
  }

  /** Must be called `ticksPerBeat` times in a heartbeat interval. */
  tick(): void {
    for (const peer of this.detector.failed(this.deps.clock.monotonic())) {
      this.deps.logger.warn('A gateway has been silent for too long and is taken for dead', { peer });
      this.gone(peer, false);
    }
    if (++this.ticks % ticksPerBeat === 0) this.sendHeartbeat();
  }

  /** Also watches a gateway of which only presences are known. */
  watch(gatewayId: string): void {
    if (gatewayId === this.deps.gatewayId || this.detector.knows(gatewayId)) return;
    this.detector.heard(gatewayId, this.deps.clock.monotonic());
  }

  requestState(to: string): void {
    const { gatewayId, report } = this.deps;
    void this.send({ kind: 'ask', gatewayId, to, report: report() });
  }

  /** Returns whether the bus has stored it. Callers need not retry: missing records are requested or sent again later. */
  async send(news: GatewayNews): Promise<boolean> {
    try {
      await this.deps.bus.send(gatewayNews, news, 'stored');
      return true;
    } catch (error) {
      this.deps.logger.debug('News did not reach the other gateways', { kind: news.kind, error });
      return false;
    }
  }

  /** At its time, and for a gateway that has just started. One at a time: they do not pile up while the bus is unavailable. */
  sendHeartbeat(): void {
    if (this.isSending) return;
    this.isSending = true;
    const { gatewayId, report, clock } = this.deps;
    this.lastHeartbeat = { number: ++this.heartbeats, sentAt: clock.monotonic() };
    const beat = { kind: 'beat', gatewayId, number: this.heartbeats, report: report() } as const;
    void this.send(beat).then(() => (this.isSending = false));
  }

  private take(news: GatewayNews): void {
    const { gatewayId } = news;
    const now = this.deps.clock.monotonic();
    if (gatewayId !== this.deps.gatewayId) this.detector.heard(gatewayId, now);
    else if (news.kind === 'beat') this.ownHeartbeatReturned(news.number, now);
    if ('report' in news && news.report !== undefined) this.lastReports.set(gatewayId, news.report);
    if (news.kind === 'goodbye') this.gone(gatewayId, true);
    else this.deps.listener.onNews(news);
  }

  private ownHeartbeatReturned(number: number, now: number): void {
    this.detector.ownHeartbeatReturned(now);
    const { beatMs, silenceMs } = this.deps;
    // The others count from when they read it, which was not before it was sent.
    if (number !== this.lastHeartbeat.number) return;
    if (now >= this.heardUntil) this.absent++;
    this.heardUntil = this.lastHeartbeat.sentAt + silenceMs - beatMs;
  }

  private gone(gatewayId: string, forGood: boolean): void {
    this.detector.forget(gatewayId);
    this.lastReports.delete(gatewayId);
    this.deps.listener.onGone(gatewayId, forGood);
  }
}
