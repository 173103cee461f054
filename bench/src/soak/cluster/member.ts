import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@roomwire/testing/run/freePort';
import type { EngineAddresses } from '../../engines/onEngines.js';
import { type RunningService, type ServiceName, startService } from '../../peers/roomwireService.js';
import type { Stoppable } from '../../process/children.js';
import type { Findings } from '../findings.js';
import { ServiceLog } from '../service.js';

/** Webhooks go to this machine. A drain must be over before a fault has to be. */
const settings = { ROOMWIRE_DRAIN_SECONDS: '5', ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'true' };
const endsWithinMs = 30_000;

/** One of the processes of a cluster. It keeps its port over restarts. */
export class Member implements Stoppable {
  readonly service: ServiceName;
  readonly port: number;
  private readonly engines: EngineAddresses;
  private readonly findings: Findings;
  private running: RunningService | undefined;
  private isMeantToEnd = false;

  private constructor(service: ServiceName, port: number, engines: EngineAddresses, findings: Findings) {
    this.service = service;
    this.port = port;
    this.engines = engines;
    this.findings = findings;
  }

  static async start(service: ServiceName, engines: EngineAddresses, findings: Findings): Promise<Member> {
    const member = new Member(service, await freePort(), engines, findings);
    await member.start();
    return member;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Resolves when it is ready. */
  async start(): Promise<void> {
    this.isMeantToEnd = false;
    // Where engines go away, warnings and errors are expected.
    const log = new ServiceLog(['warn', 'error']);
    const running = await startService(this.service, this.engines, {
      env: { ...settings, ROOMWIRE_PORT: String(this.port) },
      onLog: (text) => log.add(text),
    });
    this.running = running;
    running.process.once('close', (code, signal) => {
      this.running = undefined;
      if (!this.isMeantToEnd) this.findings.violated(`a ${this.service} ended by itself: ${code ?? signal}`);
      for (const [kind, { first }] of log.complaints)
        this.findings.violated(`a ${this.service} has written what is no line of a log, ${kind}: ${first}`);
    });
  }

  /** Resolves when it has ended. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.isMeantToEnd = true;
    if (this.running === undefined) return;
    const { process } = this.running;
    const ended = once(process, 'close');
    process.kill(signal);
    // A suspended process takes no other signal than SIGKILL.
    process.kill('SIGCONT');
    const insisting = new AbortController();
    void pause(endsWithinMs, undefined, insisting).then(
      () => process.kill('SIGKILL'),
      () => undefined,
    );
    const [code] = (await ended) as [number | null];
    insisting.abort();
    if (signal === 'SIGTERM' && code !== 0)
      this.findings.violated(`a ${this.service} that was stopped in order ended with ${code}`);
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  /** It stays connected and answers nothing. */
  suspend(): void {
    this.running?.process.kill('SIGSTOP');
  }

  resume(): void {
    this.running?.process.kill('SIGCONT');
  }
}
