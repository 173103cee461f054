import type { ViewExtent, ViewReader } from '@roomwire/shared/ports/viewStore';
import type { ViewName } from '@roomwire/shared/wire/views/views';
import { actor, organization, project } from '@roomwire/testing/builders/records';

/** Read models in which every actor, project and organization is in good standing; counts what is asked of them. */
export class CountedViews implements Pick<ViewReader, 'get' | 'extent' | 'isLeftBehind'> {
  readonly isLeftBehind = false;
  documents = 0;
  extents = 0;
  position = '';
  private readonly records: Partial<Record<ViewName, unknown>> = {
    actors: actor('project').record,
    projects: project('project', 'organization'),
    organizations: organization('organization'),
  };

  async get(view: ViewName): Promise<never> {
    this.documents += 1;
    return this.records[view] as never;
  }

  async extent(): Promise<ViewExtent> {
    this.extents += 1;
    return { edition: '0', position: this.position };
  }
}
