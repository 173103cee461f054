import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { UsageStore } from '@roomwire/shared/ports/usageStore';

export interface ConnectionNotesDeps {
  readonly gatewayId: string;
  readonly usage: Pick<UsageStore, 'noteConnections'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Live connections by organization. */
  readonly connections: () => Readonly<Record<string, number>>;
}

/** Writes down how many connections the organizations have here, for those who ask for their usage. */
export class ConnectionNotes {
  private readonly deps: ConnectionNotesDeps;
  private writing: Promise<void> | undefined;

  constructor(deps: ConnectionNotesDeps) {
    this.deps = deps;
  }

  /** One at a time: while the store is away notes do not pile up. Never rejects. */
  note(): Promise<void> {
    this.writing ??= this.write().finally(() => (this.writing = undefined));
    return this.writing;
  }

  /** Nobody must be connected any more. */
  async close(): Promise<void> {
    await this.writing;
    await this.note();
  }

  private async write(): Promise<void> {
    const { gatewayId, usage, clock, logger, connections } = this.deps;
    const at = new Date(clock.now()).toISOString();
    try {
      await usage.noteConnections({ gatewayId, at, connections: connections() });
    } catch (error) {
      // A missing engine speaks for itself.
      if (!(error instanceof EngineUnavailable)) {
        logger.warn('The live connections could not be written down', { error });
      }
    }
  }
}
