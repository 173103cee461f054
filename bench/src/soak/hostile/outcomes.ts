/** How often an attack ended in which way: a close, an error, a status. */
export type Outcomes = Record<string, number>;

export type CountOutcome = (outcome: string) => void;

export const countIn =
  (outcomes: Outcomes, attack: string): CountOutcome =>
  (outcome) => {
    const key = `${attack}: ${outcome}`;
    outcomes[key] = (outcomes[key] ?? 0) + 1;
  };
