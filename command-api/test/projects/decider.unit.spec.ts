import type { ProjectEvent, ProjectFields } from '@roomwire/shared/domain/project';
import { projectDecider, type ProjectCommand } from '../../src/projects/decider.js';
import { sentences } from '../support/deciders.js';

const given = sentences(projectDecider);

const fields: ProjectFields = { projectId: 'p1', organizationId: 'o1', name: 'Chat' };
const created: ProjectEvent = { type: 'ProjectCreated', data: fields };
const renamed: ProjectEvent = {
  type: 'ProjectUpdated',
  data: { projectId: 'p1', changes: { name: 'Talk' } },
};
const deleted: ProjectEvent = { type: 'ProjectDeleted', data: { projectId: 'p1' } };
const create: ProjectCommand = { type: 'CreateProject', project: fields };
const rename = (name: string, organizationId = 'o1'): ProjectCommand => ({
  ...{ type: 'UpdateProject', projectId: 'p1', organizationId, changes: { name } },
});
const remove = (organizationId = 'o1'): ProjectCommand => ({
  ...{ type: 'DeleteProject', projectId: 'p1', organizationId },
});

describe('a project', () => {
  it('is created once', () => {
    given().when(create).then(created);
    given(created).when(create).thenNothing();
  });

  it('changes only what differs', () => {
    given(created).when(rename('Chat')).thenNothing();
    given(created).when(rename('Talk')).then(renamed);
    given(created, renamed).when(rename('Talk')).thenNothing();
  });

  it('is deleted', () => {
    given(created).when(remove()).then(deleted);
  });

  it('does not exist for another organization, before its creation or after its deletion', () => {
    const details = { projectId: 'p1' };
    for (const command of [rename('Talk', 'o2'), remove('o2')])
      given(created).when(command).thenRejected('project_not_found', details);
    for (const past of [[], [created, deleted]])
      for (const command of [rename('Talk'), remove()])
        given(...past)
          .when(command)
          .thenRejected('project_not_found', details);
  });
});
