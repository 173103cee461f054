import { isReadable, readEvent } from '@roomwire/shared/domain/events';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ChannelReader, MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Random } from '@roomwire/shared/ports/random';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { once } from '@roomwire/shared/runtime/service';
import { circuitNewsChannel, type CircuitNews } from '@roomwire/shared/wire/bus/circuitNews';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import type { CircuitReport } from '@roomwire/shared/wire/bus/webhookReports';
import { circuitIdOf } from '@roomwire/shared/wire/webhooks/circuitId';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { CallEnd } from '../isolation/endpoint.js';
import { FailingEndpoints } from './failingEndpoints.js';

export interface CircuitOptions {
  /** The circuit of an endpoint opens after so many calls without a 2xx, and no earlier than `ms` after the first of them. */
  readonly calls: number;
  readonly ms: number;
  readonly tryEveryMs: number;
  /** Interval of the messages to the other processes. */
  readonly tellEveryMs: number;
  /** Interval at which the read models are read, in case a domain event was missed. */
  readonly refreshMs: number;
  /** A finding is reported again after this time, unless the circuit has opened. */
  readonly reportAgainMs: number;
}

export const usualCircuits: CircuitOptions = {
  calls: 50,
  ms: 300_000,
  tryEveryMs: 30_000,
  tellEveryMs: 1_000,
  refreshMs: 60_000,
  reportAgainMs: 30_000,
};

export interface CircuitsDeps {
  readonly bus: Pick<MessageBus, 'read' | 'send'>;
  readonly views: Pick<ViewReader, 'find'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits: Pick<LimitReports, 'reached'> | undefined;
  readonly options: CircuitOptions;
  /** Called with the number of open circuits. */
  readonly changed?: (open: number) => void;
}

/** An open circuit. Times are of the monotonic clock. */
interface OpenCircuit {
  triedAt: number;
}

/**
 * [HOOK-CIRCUIT-1] Which endpoints do not answer. The processes that make calls share their counts, so that a 2xx to one of them
 * counts for all. That a circuit is open is recorded in the event log, whichever process reported it, and survives the processes.
 */
export class Circuits {
  private readonly deps: CircuitsDeps;
  private readonly id: string;
  private readonly failing: FailingEndpoints;
  private readonly open = new Map<string, OpenCircuit>();
  /** When the domain events, or a 2xx, last said something of a circuit: later than a look at the read models that began before. */
  private readonly changed = new Map<string, number>();
  private readonly accepted = new Set<string>();
  private readonly tried = new Set<string>();
  private readonly timers: NodeJS.Timeout[] = [];
  private reader: ChannelReader | undefined;

  constructor(deps: CircuitsDeps) {
    const { random, limits, options } = deps;
    this.deps = deps;
    this.id = random.uuid();
    const { calls, ms, reportAgainMs: againMs } = options;
    const most = limitTable.failingEndpoints.value;
    this.failing = new FailingEndpoints({ calls, ms, againMs, most }, () =>
      limits?.reached('failingEndpoints'),
    );
  }

  async start(): Promise<void> {
    const { bus, options } = this.deps;
    this.reader = await bus.read(circuitNewsChannel, { interest: 'all' }, (news) => this.heard(news));
    await this.refresh();
    this.timers.push(
      setInterval(() => this.tell(), options.tellEveryMs),
      setInterval(() => void this.refresh(), options.refreshMs),
    );
  }

  readonly close = once(async () => {
    for (const timer of this.timers) clearInterval(timer);
    await this.reader?.close();
  });

  isOpen({ projectId, url }: WebhookCall): boolean {
    return this.open.size > 0 && this.open.has(circuitIdOf(projectId, url));
  }

  /** [HOOK-CIRCUIT-2] Whether an endpoint whose circuit is open is tried with this call. */
  mayTry({ projectId, url }: WebhookCall): boolean {
    const circuitId = circuitIdOf(projectId, url);
    const circuit = this.open.get(circuitId);
    const now = this.deps.clock.monotonic();
    if (circuit === undefined || now - circuit.triedAt < this.deps.options.tryEveryMs) return false;
    circuit.triedAt = now;
    this.tried.add(circuitId);
    return true;
  }

  /** What was to try the endpoint was not made: the next call may. */
  notTried({ projectId, url }: WebhookCall): void {
    const circuitId = circuitIdOf(projectId, url);
    this.tried.delete(circuitId);
    const circuit = this.open.get(circuitId);
    if (circuit !== undefined) circuit.triedAt = Number.NEGATIVE_INFINITY;
  }

  /** How an attempt has ended; `call` as it was before. Returns what must be reported of its endpoint. */
  ended(call: WebhookCall, end: CallEnd): CircuitReport | undefined {
    const { organizationId, projectId, url } = call;
    const circuitId = circuitIdOf(projectId, url);
    const circuit = { circuitId, organizationId, projectId, url };
    if (end === 'accepted') {
      if (this.failing.accepted(circuitId)) this.accepted.add(circuitId);
      return this.closed(circuitId) ? { outcome: 'circuitClosed', circuit } : undefined;
    }
    const now = this.deps.clock.monotonic();
    // Calls are counted, and not their attempts.
    if (call.attempts === 0) this.failing.failed(circuitId, now);
    if (this.open.has(circuitId)) return undefined;
    const calls = this.failing.takeFinding(circuitId, now);
    return calls === undefined ? undefined : { outcome: 'circuitOpened', circuit, calls };
  }

  /** Takes the `domain-events` feed. */
  readonly happened = (recorded: RecordedEvent): void => {
    if (!recorded.type.startsWith('WebhookCircuit') || !isReadable(recorded)) return;
    const event = readEvent(recorded);
    if (event.type === 'WebhookCircuitOpened') this.opened(event.data.circuitId);
    if (event.type === 'WebhookCircuitClosed') this.closed(event.data.circuitId);
  };

  private opened(circuitId: string): void {
    const now = this.deps.clock.monotonic();
    this.changed.set(circuitId, now);
    this.failing.accepted(circuitId);
    if (!this.open.has(circuitId)) this.open.set(circuitId, { triedAt: now });
    this.deps.changed?.(this.open.size);
  }

  private closed(circuitId: string): boolean {
    this.failing.accepted(circuitId);
    const wasOpen = this.open.delete(circuitId);
    if (wasOpen) this.changed.set(circuitId, this.deps.clock.monotonic());
    this.deps.changed?.(this.open.size);
    return wasOpen;
  }

  /** What another process has seen. */
  private heard({ consumer, failing, accepted, tried }: CircuitNews): void {
    if (consumer === this.id) return;
    const now = this.deps.clock.monotonic();
    for (const [circuitId, calls] of failing) this.failing.heard(circuitId, consumer, calls, now);
    for (const circuitId of accepted) this.failing.accepted(circuitId);
    for (const circuitId of tried) {
      const circuit = this.open.get(circuitId);
      if (circuit !== undefined) circuit.triedAt = now;
    }
  }

  private tell(): void {
    const news: CircuitNews = {
      consumer: this.id,
      failing: this.failing.takeUntold(),
      accepted: [...this.accepted],
      tried: [...this.tried],
    };
    this.accepted.clear();
    this.tried.clear();
    if (news.failing.length + news.accepted.length + news.tried.length === 0) return;
    // What is lost is made up for by the next calls.
    this.deps.bus.send(circuitNewsChannel, news, 'none').catch(() => undefined);
  }

  private async refresh(): Promise<void> {
    const { views, clock, logger } = this.deps;
    const began = clock.monotonic();
    try {
      const found = await views.find('webhookCircuits', { filter: {} });
      const circuitIds = new Set(found.map(({ circuitId }) => circuitId));
      const isOlder = (circuitId: string): boolean => (this.changed.get(circuitId) ?? -1) < began;
      for (const circuitId of circuitIds)
        if (!this.open.has(circuitId) && isOlder(circuitId))
          this.open.set(circuitId, { triedAt: Number.NEGATIVE_INFINITY });
      for (const circuitId of this.open.keys())
        if (!circuitIds.has(circuitId) && isOlder(circuitId)) this.open.delete(circuitId);
      for (const [circuitId, at] of this.changed) if (at < began) this.changed.delete(circuitId);
      this.deps.changed?.(this.open.size);
    } catch (error) {
      logger.debug('The circuits of webhooks could not be read', { error });
    }
  }
}
