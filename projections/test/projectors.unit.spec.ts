import { expect } from 'chai';
import {
  recordedDeadLetter,
  evolveDeadLetter,
  type DeadLetterEvent,
} from '@roomwire/shared/domain/deadLetter';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import { viewIndexes, viewLists, type ViewName } from '@roomwire/shared/wire/views/views';
import { changesOf } from '../src/projectors.js';
import { newEvent } from './support/history.js';

const recorded = (event: DomainEvent, index = 1): RecordedEvent => ({
  ...newEvent(event, index),
  ...{ stream: 's', revision: 0, position: '0000000000000001' },
});

describe('the projector of projects', () => {
  it('removes with a project whatever is looked up by it, webhook secrets among them', () => {
    const projectId = 'p';
    const names = Object.keys(viewLists) as ViewName[];
    const ofProjects = names.filter((view) =>
      [...viewLists[view], ...viewIndexes[view]].flat().includes('projectId'),
    );
    expect(ofProjects).to.include('webhookSecrets');
    expect(changesOf(recorded({ type: 'ProjectDeleted', data: { projectId } }))).to.have.deep.members([
      { remove: 'projects', id: projectId },
      ...ofProjects.map((removeWhere) => ({ removeWhere, filter: { projectId } })),
    ]);
  });
});

describe('the projector of actors', () => {
  it('[HTTP-REVOKE-4] removes the revocations of its tokens with an actor', () => {
    const actorTokenId = 'a';
    expect(changesOf(recorded({ type: 'ActorDeleted', data: { actorTokenId } }))).to.deep.equal([
      { remove: 'actors', id: actorTokenId },
      { removeWhere: 'tokenRevocations', filter: { actorTokenId } },
    ]);
  });
});

describe('the projector of dead letters', () => {
  const dlqId = 'd1';
  const created = '2025-01-01T00:00:00.000Z';
  const entry = recordedDeadLetter(
    {
      ...{ dlqId, organizationId: 'o', projectId: 'p', appId: 'a', kind: 'trigger' },
      ...{ url: 'https://example.com', payload: { id: dlqId, sha256: '' } },
      ...{ responseStatus: 503, error: 'The endpoint answered 503', retryCount: 2, status: 'pending' },
    },
    created,
  );
  const failure = { responseStatus: 404, error: 'no', retryCount: 0, status: 'failed' } as const;
  const changes: readonly DeadLetterEvent[] = [
    { type: 'DeadLetterRedriven', data: { dlqId, redriveId: 'r', redriveCount: 1, redrivenBy: 'ada' } },
    { type: 'DeadLetterRedriveFailed', data: { dlqId, redriveId: 'r', ...failure } },
    { type: 'DeadLetterMarkedDead', data: { dlqId } },
  ];

  for (const event of changes)
    it(`dates an entry by ${event.type}, as the fold of its events does`, () => {
      const happened = recorded(event);
      const { occurredAt } = happened.metadata;
      const after = evolveDeadLetter(entry, { ...event, occurredAt });
      expect(after).to.include({ createdAt: created, updatedAt: occurredAt });
      const [change] = changesOf(happened);
      expect(change).to.deep.include({ patch: 'deadLetters', id: dlqId });
      expect({ ...entry, ...(change as { readonly set: object }).set }).to.deep.equal(after);
    });
});
