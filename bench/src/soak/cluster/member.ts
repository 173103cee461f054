import { once } from 'node:events';
import { freePort } from '@roomwire/testing/run/freePort';
import type { EngineAddresses } from '../../engines/onEngines.js';
import { type RunningService, type ServiceName, startService } from '../../peers/roomwireService.js';
import type { Findings } from '../findings.js';
import { ServiceLog } from '../service.js';

/** Of every process: none is suspected of more than it is, and a drain is over within its fault. */
const settings = { ROOMWIRE_DRAIN_SECONDS: '5', ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'true' };

/** One of the processes of the cluster. It keeps its port over restarts. */
export class Member {
  readonly service: ServiceName;
  readonly port: number;
  /** Of all its lives: with engines that go away, warnings and errors are expected; what is no log line is not. */
  readonly log = new ServiceLog(true);
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
    const running = await startService(this.service, this.engines, {
      env: { ...settings, ROOMWIRE_PORT: String(this.port) },
      onLog: (text) => this.log.add(text),
    });
    this.running = running;
    running.process.once('exit', (code, signal) => {
      this.running = undefined;
      if (!this.isMeantToEnd) this.findings.violated(`a ${this.service} ended by itself: ${code ?? signal}`);
    });
  }

  /** Resolves when it has ended. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.isMeantToEnd = true;
    if (this.running === undefined) return;
    const ended = once(this.running.process, 'exit');
    this.running.process.kill(signal);
    const [code] = (await ended) as [number | null];
    if (signal === 'SIGTERM' && code !== 0)
      this.findings.violated(`a ${this.service} that was stopped in order ended with ${code}`);
  }

  /** It stays connected and answers nothing. */
  suspend(): void {
    this.running?.process.kill('SIGSTOP');
  }

  resume(): void {
    this.running?.process.kill('SIGCONT');
  }
}
