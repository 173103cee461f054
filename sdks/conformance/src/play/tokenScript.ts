/** What a token function gives, call by call. */
export type TokenAnswer = () => Promise<string>;

/** What the library hears from its token function; the last answer is that of all further calls. */
export class TokenScript {
  /** Why each of the calls was made, as the library says it. */
  readonly refusals: (string | undefined)[] = [];
  private readonly answers: readonly TokenAnswer[];

  constructor(answers: readonly TokenAnswer[]) {
    this.answers = answers;
  }

  async answer(refused: string | undefined): Promise<string> {
    this.refusals.push(refused);
    const answer = this.answers[this.refusals.length - 1] ?? this.answers.at(-1);
    if (answer === undefined) throw new Error('The scenario gives no token');
    return answer();
  }
}
