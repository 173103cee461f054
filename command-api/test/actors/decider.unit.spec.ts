import type { ActorEvent, ActorFields } from '@roomwire/shared/domain/actors/actor';
import { actorDecider, type ActorCommand } from '../../src/actors/decider.js';
import { sentences } from '../support/given.js';

const given = sentences(actorDecider);

const fields: ActorFields = {
  actorTokenId: 'x1',
  projectId: 'p1',
  accessScopeId: null,
  scopeMembershipId: null,
  keyId: 'at_live_1',
  name: 'Ada',
  actorType: 'user',
  expiresAt: null,
  metadata: { team: 'a' },
  secretHash: '00',
};
const created: ActorEvent = { type: 'ActorCreated', data: fields };
const deleted: ActorEvent = { type: 'ActorDeleted', data: { actorTokenId: 'x1' } };
const update = (changes: object, projectId = 'p1'): ActorCommand => ({
  type: 'UpdateActor',
  actorTokenId: 'x1',
  projectId,
  changes,
});
const remove = (projectId = 'p1'): ActorCommand => ({ type: 'DeleteActor', actorTokenId: 'x1', projectId });

describe('an actor', () => {
  it('is made once', () => {
    given().when({ type: 'CreateActor', actor: fields }).then(created);
    given(created).when({ type: 'CreateActor', actor: fields }).thenNothing();
  });

  it('changes only what differs', () => {
    given(created)
      .when(update({ name: 'Ada', metadata: { team: 'a' } }))
      .thenNothing();
    given(created)
      .when(update({ name: 'Ada', status: 'disabled' }))
      .then({ type: 'ActorUpdated', data: { actorTokenId: 'x1', changes: { status: 'disabled' } } });
  });

  it('does not exist for another project, nor after its end', () => {
    given(created)
      .when(update({ name: 'Eve' }, 'p2'))
      .thenRefused('actor_not_found');
    given(created).when(remove('p2')).thenRefused('actor_not_found');
    given(created, deleted).when(remove()).thenRefused('actor_not_found');
    given(created).when(remove()).then(deleted);
  });
});
