import type { Random } from '@roomwire/shared/ports/random';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import type { CommandHandler } from '../handling/commandHandler.js';

/** What the routes of a resource work with. */
export interface ResourceDeps {
  readonly commands: CommandHandler;
  readonly views: ViewStore;
  readonly random: Random;
}
