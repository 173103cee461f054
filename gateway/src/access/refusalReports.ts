import type { Project } from '@roomwire/shared/domain/project';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { AccessRecorder } from '@roomwire/shared/runtime/accessRecorder';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { EntryCache } from './entryCache.js';

/** Whose a credential is. */
export interface CredentialHolder {
  readonly projectId: string;
  readonly principal: string;
}

/** Whose a session is. */
export interface SessionHolder extends CredentialHolder {
  readonly organizationId: string;
}

interface RefusedCredential {
  readonly reason: string;
  /** Of the client. */
  readonly address: string;
  readonly frame: 'auth' | 'reauth';
}

/** `connection`: one that had been admitted. */
export interface RefusedConnection {
  readonly reason: string;
  readonly address: string;
  readonly route: 'auth' | 'connection';
  /** As a status of HTTP, or the code of the close. */
  readonly status: number;
}

export interface RefusalReportsDeps {
  readonly views: Pick<ViewReader, 'get'>;
  readonly limits: Pick<LimitReports, 'reached'>;
  /** Undefined where there is no access log. */
  readonly recorder: Pick<AccessRecorder, 'refused'> | undefined;
  /** Refusals whose organization is being looked up. */
  readonly mostLookedUp: number;
}

type Owner = Pick<Project, 'projectId' | 'organizationId'>;

const maxProjects = 10_000;
const method = 'WS';

/** Tells the access log what was refused to known credentials. Nobody waits for it, and nothing fails with it. */
export class RefusalReports {
  private readonly deps: RefusalReportsDeps;
  /** By project, which never moves to another organization. */
  private readonly owners = new EntryCache<Owner>({
    idOf: ({ projectId }) => projectId,
    maxEntries: maxProjects,
  });
  private lookingUp = 0;

  constructor(deps: RefusalReportsDeps) {
    this.deps = deps;
  }

  /** Its organization is looked up. */
  credential(holder: CredentialHolder, refused: RefusedCredential): void {
    const { recorder, limits, mostLookedUp } = this.deps;
    if (recorder === undefined) return;
    const { projectId } = holder;
    const known = this.owners.peek(projectId);
    if (known) this.record(holder, known.value, refused);
    else if (this.lookingUp >= mostLookedUp) limits.reached('accessLogWaiting', { projectId });
    else void this.lookUp(holder, refused);
  }

  connection(holder: SessionHolder, refused: RefusedConnection): void {
    this.deps.recorder?.refused({ ...holder, ...refused, method }, 'route');
  }

  private record(holder: CredentialHolder, { organizationId }: Owner, refused: RefusedCredential): void {
    const { frame, address, reason } = refused;
    const call = { method, route: frame, status: 401, address, reason };
    this.deps.recorder?.refused({ organizationId, ...holder, ...call }, 'credential');
  }

  private async lookUp(holder: CredentialHolder, refused: RefusedCredential): Promise<void> {
    const { projectId } = holder;
    this.lookingUp++;
    try {
      const found = await this.owners.load(projectId, () => this.deps.views.get('projects', projectId));
      // Once the project is deleted nobody knows whose it was.
      if (found) this.record(holder, found.value, refused);
    } catch {
      // An unavailable engine is logged by its adapter, and refuses what comes next for another reason.
    } finally {
      this.lookingUp--;
    }
  }
}
