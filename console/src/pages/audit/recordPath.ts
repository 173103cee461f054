/** The address of a record within the audit: at a time, or between two. */
export const recordPath = (asked: {
  readonly resourceId: string;
  readonly from?: string;
  readonly to?: string;
}): string => `/record?${new URLSearchParams(asked)}`;
