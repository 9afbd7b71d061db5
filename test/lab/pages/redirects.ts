import { numberFrom, type Exchange, type Pages } from './page.ts'

function redirect({ response }: Exchange, location: string, status: number): void {
  response.writeHead(status, { location }).end()
}

/**
 * Redirects (`/redirect?to=&status=`), redirect chains (`/redirect/chain?count=`) and a redirect
 * loop.
 */
export const redirectPages: Pages = {
  '/redirect': (exchange) =>
    redirect(exchange, exchange.url.searchParams.get('to') ?? '/', numberFrom(exchange.url, 'status', 302)),
  '/redirect/chain': (exchange) => {
    const count = numberFrom(exchange.url, 'count', 3)
    redirect(exchange, count > 1 ? `/redirect/chain?count=${count - 1}` : '/', 302)
  },
  '/redirect/loop': (exchange) => redirect(exchange, '/redirect/loop', 302),
}
