export type ProtocolVersion = 1 | 2;

/** The lower of the client's version and ours; what is no version of ours at all is the oldest. */
export const negotiatedVersion = (asked: number): ProtocolVersion => (asked >= 2 ? 2 : 1);
