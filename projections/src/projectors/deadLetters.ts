import { recordedDeadLetter, type DeadLetterEvent } from '@roomwire/shared/domain/dead-letters/deadLetter';
import type { Projector } from './projector.js';

export const deadLetters: Projector<DeadLetterEvent> = {
  DeadLetterRecorded: (data, { occurredAt, position }) => [
    {
      put: 'deadLetters',
      id: data.dlqId,
      doc: { ...recordedDeadLetter(data, occurredAt), createdPosition: position },
    },
  ],
  DeadLetterMarkedDead: ({ dlqId }, { occurredAt }) => [
    { patch: 'deadLetters', id: dlqId, set: { status: 'dead', updatedAt: occurredAt } },
  ],
  DeadLetterDeleted: ({ dlqId }) => [{ remove: 'deadLetters', id: dlqId }],
};
