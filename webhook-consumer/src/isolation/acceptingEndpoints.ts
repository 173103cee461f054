import { hash } from 'node:crypto';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';

/** About 100 bytes each. An endpoint that was forgotten is new until its next 2xx. */
const maxRemembered = limitTable.acceptingEndpoints.value;

/** The endpoints that have answered a call of this process with 2xx; of too many, those that did so last. */
export class AcceptingEndpoints {
  private readonly digests = new Set<string>();

  has(projectId: string, url: string): boolean {
    return this.digests.has(digestOf(projectId, url));
  }

  add(projectId: string, url: string): void {
    const digest = digestOf(projectId, url);
    // Back to the end, so that the first is the one to forget.
    this.digests.delete(digest);
    this.digests.add(digest);
    const [oldest] = this.digests;
    if (this.digests.size > maxRemembered && oldest !== undefined) this.digests.delete(oldest);
  }
}

/** URLs may have 2,048 characters. */
const digestOf = (projectId: string, url: string): string => hash('sha1', `${projectId} ${url}`, 'base64url');
