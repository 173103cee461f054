/** A job to be put back, as its group's owner is asked for it. */
export interface RedrivenJob {
  readonly projectId: string;
  readonly roomId: string;
  readonly accessScopeId: string | null;
  readonly topicName: string;
  readonly group: string;
  /** By which a second try is known. Undefined from a gateway of the previous release. */
  readonly redriveId?: string | undefined;
  /** As it was stored. */
  readonly message: Uint8Array;
}
