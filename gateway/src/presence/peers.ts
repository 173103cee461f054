import { gatewayNews, type GatewayNews, type GatewayReport } from '@roomwire/shared/wire/bus/gatewayNews';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ChannelReader, MessageBus } from '@roomwire/shared/ports/messageBus';

/** Who wants to know what the gateways tell one another. Our own records come back here like everybody's. */
export interface PeerListener {
  onHello(gatewayId: string): void;
  onBeat(gatewayId: string, report: GatewayReport): void;
  onState(gatewayId: string, from: number, upTo: number): void;
  /** Somebody wants to know anew what this gateway stands for. */
  onAsked(): void;
  /** `forGood` after a goodbye; one that was silent may come back. */
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

/** Looks at the peers in a beat: how exactly their silence is kept. */
export const ticksPerBeat = 3;

/** The gateways on the bus: which are alive, and what they report. */
export class Peers {
  private readonly deps: PeersDeps;
  private readonly judge: PeerJudge;
  private readonly lastReports = new Map<string, GatewayReport>();
  private reader: ChannelReader | undefined;
  private ticks = 0;
  private beats = 0;
  private isBeating = false;

  constructor(deps: PeersDeps) {
    this.deps = deps;
    this.judge = new PeerJudge({ silenceMs: deps.silenceMs, soundMs: (deps.beatMs * 4) / 3 });
  }

  /** Of every gateway that is alive and has made a beat, this one included. */
  get reports(): ReadonlyMap<string, GatewayReport> {
    return this.lastReports;
  }

  async listen(): Promise<void> {
    this.reader = await this.deps.bus.read(gatewayNews, { interest: 'all' }, (news) => this.take(news));
  }

  /** To be called when everything is read that the others may answer. */
  async sayHello(): Promise<void> {
    await this.tell({ kind: 'hello', gatewayId: this.deps.gatewayId });
    this.beat();
  }

  /** Says goodbye; everything that the gateway stood for must have been withdrawn. */
  async close(): Promise<void> {
    await this.tell({ kind: 'goodbye', gatewayId: this.deps.gatewayId });
    await this.reader?.close();
  }

  /** To be called `ticksPerBeat` times in a beat. */
  tick(): void {
    for (const peer of this.judge.dead(this.deps.clock.monotonic())) {
      this.deps.logger.warn('A gateway has been silent for too long and is taken for dead', { peer });
      this.gone(peer, false);
    }
    if (++this.ticks % ticksPerBeat === 0) this.beat();
  }

  /** A gateway of which there is something to lose must be one that can be judged. */
  noticed(gatewayId: string): void {
    if (gatewayId === this.deps.gatewayId || this.judge.knows(gatewayId)) return;
    this.judge.heard(gatewayId, this.deps.clock.monotonic());
  }

  ask(to: string): void {
    void this.tell({ kind: 'ask', gatewayId: this.deps.gatewayId, to });
  }

  /** Whether the bus has it. What it has not is asked for, or said, again: nobody has to be told. */
  async tell(news: GatewayNews): Promise<boolean> {
    try {
      await this.deps.bus.send(gatewayNews, news, 'stored');
      return true;
    } catch (error) {
      this.deps.logger.debug('The other gateways cannot be told', { kind: news.kind, error });
      return false;
    }
  }

  /** One at a time: while the bus is away beats do not pile up. */
  private beat(): void {
    if (this.isBeating) return;
    this.isBeating = true;
    const { gatewayId, report } = this.deps;
    const beat = { kind: 'beat', gatewayId, number: ++this.beats, report: report() } as const;
    void this.tell(beat).then(() => (this.isBeating = false));
  }

  private take(news: GatewayNews): void {
    const { gatewayId } = news;
    const now = this.deps.clock.monotonic();
    if (gatewayId !== this.deps.gatewayId) this.judge.heard(gatewayId, now);
    else if (news.kind === 'beat') this.judge.ownBeatReturned(now);
    this.passOn(news);
  }

  private passOn(news: GatewayNews): void {
    const { listener } = this.deps;
    switch (news.kind) {
      case 'hello':
        return listener.onHello(news.gatewayId);
      case 'beat':
        this.lastReports.set(news.gatewayId, news.report);
        return listener.onBeat(news.gatewayId, news.report);
      case 'state':
        return listener.onState(news.gatewayId, news.from, news.upTo);
      case 'ask':
        return news.to === this.deps.gatewayId ? listener.onAsked() : undefined;
      case 'goodbye':
        return this.gone(news.gatewayId, true);
    }
  }

  private gone(gatewayId: string, forGood: boolean): void {
    this.judge.forget(gatewayId);
    this.lastReports.delete(gatewayId);
    this.deps.listener.onGone(gatewayId, forGood);
  }
}

export interface PeerJudgeOptions {
  /** A peer that has been silent for this long is dead. */
  readonly silenceMs: number;
  /** For this long after a beat of our own has come back, our reading is believed to be sound. */
  readonly soundMs: number;
}

/**
 * Which of the other gateways have died. Silence proves something only while we could have heard: it is counted in
 * sound time, which passes while our own beats come back from the bus, and stands still while the bus, or we, do.
 * Times come from a monotonic clock.
 */
export class PeerJudge {
  private readonly options: PeerJudgeOptions;
  /** Sound time at which each was heard last. */
  private readonly heardAt = new Map<string, number>();
  private soundUntilReturn = 0;
  private lastReturn: number | undefined;

  constructor(options: PeerJudgeOptions) {
    this.options = options;
  }

  ownBeatReturned(now: number): void {
    this.soundUntilReturn = this.soundTime(now);
    this.lastReturn = now;
  }

  heard(peer: string, now: number): void {
    this.heardAt.set(peer, this.soundTime(now));
  }

  knows(peer: string): boolean {
    return this.heardAt.has(peer);
  }

  forget(peer: string): void {
    this.heardAt.delete(peer);
  }

  /** Those that are to be taken for dead. They stay known until they are forgotten. */
  dead(now: number): readonly string[] {
    const soundNow = this.soundTime(now);
    return [...this.heardAt]
      .filter(([, heardAt]) => soundNow - heardAt >= this.options.silenceMs)
      .map(([peer]) => peer);
  }

  private soundTime(now: number): number {
    const sinceReturn = this.lastReturn === undefined ? 0 : now - this.lastReturn;
    return this.soundUntilReturn + Math.min(sinceReturn, this.options.soundMs);
  }
}
