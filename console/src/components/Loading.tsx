interface LoadingProps {
  /** Behind "Loading": `the rooms`. */
  readonly what: string;
  readonly isWholePage?: boolean;
}

/** Shows only after a moment, so that what is quick does not flicker. */
export const Loading = ({ what, isWholePage = false }: LoadingProps) => (
  <p role="status" className={isWholePage ? 'loading whole-page' : 'loading'}>
    Loading {what}…
  </p>
);
