import { Link } from 'wouter';
import { base } from './paths.js';

const texts = {
  page: {
    title: 'There is no such page',
    text: 'The address may be mistyped, or the page has another name now.',
  },
  project: {
    title: 'This project is not here',
    text: 'It does not exist, or it belongs to an organization that your session does not open. Sign in with another session, or choose one of your projects.',
  },
} as const;

export const NotFoundPage = ({ what }: { readonly what: keyof typeof texts }) => (
  <main className="whole-page" id="content">
    <p className="not-found-code">404</p>
    <h1>{texts[what].title}</h1>
    <p className="muted">{texts[what].text}</p>
    <Link className="button primary" href={`~${base}/`}>
      Your projects
    </Link>
  </main>
);
