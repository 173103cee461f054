/** A calendar month, UTC. */
export interface Month {
  /** `YYYY-MM`. */
  readonly name: string;
  /** Milliseconds since 1970; the first that is in it, and the first that is not. */
  readonly from: number;
  readonly until: number;
}

export const monthAt = (time: number): Month => {
  const at = new Date(time);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  const name = at.toISOString().slice(0, 'YYYY-MM'.length);
  return { name, from: Date.UTC(year, month), until: Date.UTC(year, month + 1) };
};
