import {
  failedAgain,
  recordedDeadLetter,
  redriven,
  type DeadLetterEvent,
} from '@roomwire/shared/domain/dead-letters/deadLetter';
import type { Projector } from './projector.js';

export const deadLetters: Projector<DeadLetterEvent> = {
  DeadLetterRecorded: (data, { occurredAt, position }) => [
    {
      put: 'deadLetters',
      id: data.dlqId,
      doc: { ...recordedDeadLetter(data, occurredAt), createdPosition: position },
    },
  ],
  DeadLetterRedriven: (data, { occurredAt }) => [
    { patch: 'deadLetters', id: data.dlqId, set: redriven(data, occurredAt) },
  ],
  DeadLetterRedriveFailed: (data, { occurredAt }) => [
    { patch: 'deadLetters', id: data.dlqId, set: { ...failedAgain(data), updatedAt: occurredAt } },
  ],
  DeadLetterDelivered: ({ dlqId }) => [{ remove: 'deadLetters', id: dlqId }],
  DeadLetterMarkedDead: ({ dlqId }, { occurredAt }) => [
    { patch: 'deadLetters', id: dlqId, set: { status: 'dead', updatedAt: occurredAt } },
  ],
  DeadLetterDeleted: ({ dlqId }) => [{ remove: 'deadLetters', id: dlqId }],
};
