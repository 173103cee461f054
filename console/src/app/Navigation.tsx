import { Link, useLocation } from 'wouter';
import { pages, sections } from '../pages.js';

/** The pages by sections. Beside the page, or where it is narrow, unfolded above it. */
export const Navigation = ({ isOpen }: { readonly isOpen: boolean }) => {
  const [path] = useLocation();
  const isCurrent = (page: string): boolean => path === `/${page}` || path.startsWith(`/${page}/`);
  return (
    <nav id="navigation" aria-label="Pages" className={isOpen ? 'navigation open' : 'navigation'}>
      {sections.map((section) => {
        const rows = pages.filter((page) => page.section === section);
        return (
          rows.length > 0 && (
            <div key={section}>
              <p className="navigation-section" id={`section-${section.replace(' ', '-')}`}>
                {section}
              </p>
              <ul aria-labelledby={`section-${section.replace(' ', '-')}`}>
                {rows.map(({ path: page, title, Icon }) => (
                  <li key={page}>
                    <Link href={`/${page}`} aria-current={isCurrent(page) ? 'page' : undefined}>
                      <Icon aria-hidden size={16} strokeWidth={1.75} />
                      {title}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          )
        );
      })}
      <p className="navigation-foot">
        <a href="/docs" target="_blank" rel="noreferrer">
          API reference
        </a>
      </p>
    </nav>
  );
};
