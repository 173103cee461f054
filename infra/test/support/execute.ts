import type { Target } from '@roomwire/command-api/handling/writeModel';
import { createStreamWriter } from '@roomwire/command-api/handling/streamWriter';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { EventLog } from '@roomwire/shared/ports/eventLog';

/** Carries out a command straight on a log, as the system. */
export const executeOn =
  (log: EventLog, owner: { readonly organizationId: string; readonly projectId: string | null }) =>
  async <State, Command, Event extends DomainEvent>(
    { stream, decider }: Target<State, Command, Event>,
    command: Command,
  ): Promise<void> => {
    await createStreamWriter({ stream, log, random: systemRandom }).submit(decider, {
      decide: (state) => decider.decide(command, state),
      context: {
        ...owner,
        occurredAt: new Date().toISOString(),
        principal: 'system',
        requestId: systemRandom.uuid(),
      },
      select: () => undefined,
    });
  };
