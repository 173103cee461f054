import type { Refusal } from '@roomwire/shared/ports/accessLog';
import type { AccessRecorder } from '@roomwire/shared/runtime/accessRecorder';
import { Rejection, rejections } from '../handling/rejections.js';
import { RefusedCredential, type CredentialHolder } from '../http/errors.js';
import { organizationParameter, type Caller } from '../http/route.js';

/** What is known of a request that failed. */
export interface FailedRequest extends Pick<Refusal, 'method' | 'route' | 'address'> {
  /** Undefined where its credential was not accepted. */
  readonly caller: Caller | undefined;
  /** The parameters of its path. */
  readonly path: Readonly<Record<string, string>>;
}

/** Tells the access log of a failure that matters: a credential that is known and not accepted, or a right that is missing. */
export const reportRefusal = (
  recorder: Pick<AccessRecorder, 'refused'>,
  error: unknown,
  { caller, path, ...request }: FailedRequest,
): void => {
  if (error instanceof RefusedCredential) {
    const { status, reason, holders } = error;
    for (const holder of holders) recorder.refused({ ...holder, ...request, status, reason }, 'credential');
    return;
  }
  if (!(error instanceof Rejection) || caller === undefined) return;
  const { code } = error as Rejection;
  const { status } = rejections[code];
  const holder = status === 401 || status === 403 ? holderOf(caller, path) : undefined;
  if (holder) recorder.refused({ ...holder, ...request, status, reason: code }, 'route');
};

/** Undefined where the request is about no organization that the caller has to do with. */
const holderOf = (caller: Caller, path: FailedRequest['path']): CredentialHolder | undefined => {
  if ('address' in caller) return undefined;
  const { principal } = caller;
  if ('projectId' in caller)
    return { organizationId: caller.organizationId, projectId: caller.projectId, principal };
  const organizationId = path[organizationParameter];
  if (organizationId === undefined) return undefined;
  const isKnown =
    caller.isOperator ||
    caller.organizationIds.includes(organizationId) ||
    caller.revokedIn.has(organizationId);
  return isKnown ? { organizationId, projectId: path['projectId'] ?? null, principal } : undefined;
};
