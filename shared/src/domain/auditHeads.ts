/** The last event of a stream, by the MAC that proves it. */
export interface AuditHead {
  readonly stream: string;
  readonly revision: number;
  readonly mac: string;
}

/**
 * A record of the heads that have changed since the record before, so that a stream that is cut off later shows. All records are on one
 * stream, each with a proof that covers those before it.
 */
export interface AuditHeadsRecord {
  readonly heads: readonly AuditHead[];
  /** The last event that was looked at: the next record goes on behind it. */
  readonly upTo: { readonly stream: string; readonly revision: number };
}

/** The stream of these records. It belongs to the service: no tenant sees it, and no read model is made of it. */
export const auditHeadsStream = 'audit-heads';

export const auditHeadsRecorded = { type: 'AuditHeadsRecorded', schemaVersion: 1 } as const;

/** False for what the service writes for itself. */
export const isOfTheControlPlane = ({ stream }: { readonly stream: string }): boolean =>
  stream !== auditHeadsStream;

/** Of events of no organization. */
export const noOrganization = '00000000-0000-0000-0000-000000000000';
