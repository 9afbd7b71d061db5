/**
 * The program of a Python interpreter, passed to `python3 -c`. One line of JSON per call arrives on
 * descriptor 3, one per outcome leaves on descriptor 4. The end of a call is marked in stdout and
 * stderr.
 */
export const pythonProgram = String.raw`
import ast, asyncio, inspect, json, os, re, sys, traceback

settings = json.loads(sys.argv.pop())
# Descriptors that the server has inherited.
os.closerange(5, 65536)
os.set_inheritable(3, False)
os.set_inheritable(4, False)
namespace = {'__name__': '__main__', '__builtins__': __builtins__}
names = ('page', 'context', 'browser')
missing = 'needs Playwright, which is not installed for Python on this server: pip install playwright'
bound = {}


async def bind_playwright():
    if 'browser' not in bound or not bound['browser'].is_connected():
        try:
            from playwright.async_api import async_playwright
        except ImportError:
            return
        if 'driver' not in bound:
            bound['driver'] = await async_playwright().start()
        browser = await bound['driver'].chromium.connect_over_cdp(settings['cdpUrl'], timeout=20000)
        context = browser.contexts[0]
        page = context.pages[0] if context.pages else await context.new_page()
        bound.update(browser=browser, context=context, page=page)
        namespace.update(browser=browser, context=context, page=page)
    elif namespace.get('page') is bound['page'] and bound['page'].is_closed():
        context = bound['context']
        bound['page'] = context.pages[-1] if context.pages else await context.new_page()
        namespace['page'] = bound['page']


def split(code):
    tree = ast.parse(code, '<code>')
    if not tree.body or not isinstance(tree.body[-1], ast.Expr):
        return tree, None
    return tree, ast.Expression(tree.body.pop().value)


async def evaluate(tree, mode):
    compiled = compile(tree, '<code>', mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    value = eval(compiled, namespace)
    return await value if compiled.co_flags & inspect.CO_COROUTINE else value


def describe(value):
    if value is None:
        return {}
    if not isinstance(value, str):
        try:
            value = json.dumps(value, ensure_ascii=False)
        except Exception:
            value = repr(value)
    return {'result': value[:settings['maxResultLength']]}


async def run(code):
    try:
        if re.search(r'\b(page|context|browser)\b', code):
            await bind_playwright()
        tree, last = split(code)
        await evaluate(tree, 'exec')
        return {'exitCode': 0, **(describe(await evaluate(last, 'eval')) if last else {})}
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
        return {'exitCode': end.code if isinstance(end.code, int) else 0 if end.code is None else 1}
    except BaseException as error:
        # Without the frames of this program.
        trace = error.__traceback__
        while trace and trace.tb_frame.f_code.co_filename != '<code>':
            trace = trace.tb_next
        traceback.print_exception(type(error), error, trace)
        if isinstance(error, NameError) and getattr(error, 'name', None) in names:
            print(error.name, missing, file=sys.stderr)
        return {'exitCode': 1}


def mark(stream, descriptor, marker):
    try:
        stream.flush()
        os.write(descriptor, marker)
    except (OSError, ValueError):
        pass


async def main():
    loop = asyncio.get_running_loop()
    requests = os.fdopen(3, 'rb')
    while line := await loop.run_in_executor(None, requests.readline):
        request = json.loads(line)
        outcome = await run(request['code'])
        marker = b'\0' + request['id'].encode() + b'\0'
        mark(sys.stdout, 1, marker)
        mark(sys.stderr, 2, marker)
        data = json.dumps({'id': request['id'], **outcome}).encode('utf-8', 'replace') + b'\n'
        while data:
            data = data[os.write(4, data):]


asyncio.run(main())
`
