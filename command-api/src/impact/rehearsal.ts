import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { CommandHandler } from '../handling/commandHandler.js';
import { RevocableEdits } from '../handling/edits.js';

/** Decides commands on the streams as they are, and keeps their events instead of appending them. */
export class Rehearsal implements CommandHandler {
  readonly events: DomainEvent[] = [];
  private readonly commands: Pick<CommandHandler, 'inspect'>;

  constructor(commands: Pick<CommandHandler, 'inspect'>) {
    this.commands = commands;
  }

  /** The state after it is there only for `select`: the next command finds the streams as they are. */
  execute: CommandHandler['execute'] = async ({ decider, ...target }, command, { occurredAt }, select) => {
    const { decided, result } = await this.commands.inspect({ decider, ...target }, (state) => {
      const decided = decider.decide(command, state);
      const edits = new RevocableEdits();
      try {
        const after = decided.reduce(
          (before, event) => decider.evolve(before, { ...event, occurredAt }, edits),
          state,
        );
        return { decided, result: select?.(after) as never };
      } finally {
        edits.takeBack();
      }
    });
    this.events.push(...decided);
    return result;
  };

  inspect: CommandHandler['inspect'] = (target, select) => this.commands.inspect(target, select);

  async forget(): Promise<void> {
    // Nothing has been deleted.
  }
}
