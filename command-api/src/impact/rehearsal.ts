import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { CommandHandler } from '../handling/commandHandler.js';

/** Decides commands on the streams as they are, and keeps their events instead of appending them. */
export class Rehearsal implements CommandHandler {
  readonly events: DomainEvent[] = [];
  private readonly commands: Pick<CommandHandler, 'inspect'>;

  constructor(commands: Pick<CommandHandler, 'inspect'>) {
    this.commands = commands;
  }

  /** Resolves with nothing: there is no state after it. */
  execute: CommandHandler['execute'] = async (target, command) => {
    const decided = await this.commands.inspect(target, (state) => target.decider.decide(command, state));
    this.events.push(...decided);
    return undefined as never;
  };

  inspect: CommandHandler['inspect'] = (target, select) => this.commands.inspect(target, select);

  async forget(): Promise<void> {
    // Nothing has been deleted.
  }
}
