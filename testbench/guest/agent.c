/* The agent in the guest: connects to HOST PORT, greets, then obeys lines of words and answers a line each. Numbers are
 * hexadecimal. It has one memory region, one completion queue, and up to 16 queue pairs by their places.
 *
 *   qp PLACE TYPE QKEY           makes a queue pair (2 RC, 3 UC, 4 UD), initialised: QPN RKEY ADDRESS
 *   connect PLACE QPN RQ_PSN SQ_PSN IPV4 MTUCODE TIMEOUT RETRIES RNR_RETRIES MIN_RNR RD
 *   fill OFFSET LENGTH SEED      check OFFSET LENGTH SEED     put64 OFFSET VALUE     get64 OFFSET
 *   recv PLACE ID OFFSET LENGTH
 *   send PLACE ID OPCODE OFFSET LENGTH ADDRESS RKEY IMMEDIATE COMPARE SWAP QPN QKEY
 *   attach PLACE IPV4            joins the group of this address, to which QPN FFFFFF sends; detach PLACE IPV4 leaves it
 *   window PLACE                 binds a memory window of type 2 over the region: RKEY
 *   poll COUNT MILLISECONDS      completions until so many are there
 *   state PLACE
 *   run COMMAND                  starts a command of the shell
 *   wait MILLISECONDS            its exit status, and the end of what it said, in hexadecimal
 *   bye
 *
 * usage: agent HOST PORT      cc -O2 agent.c -libverbs */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SIZE (8u << 20)
#define PLACES 16
#define LOG "/tmp/run.log"

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_cq *cq;
static struct ibv_qp *qps[PLACES];
static struct ibv_ah *handle, *group;
static int membership = -1;
static uint8_t *buffer;
static int gid_index = -1;
static union ibv_gid own;
static uint32_t random_state;
static pid_t child;

static uint8_t next_byte(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 24;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static const int ACCESS =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

static void make_qp(FILE *out, unsigned place, int type, uint32_t q_key) {
    struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = type, .sq_sig_all = 1,
        .cap = {.max_send_wr = 256, .max_recv_wr = 256, .max_send_sge = 4, .max_recv_sge = 4}};
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = q_key,
        .qp_access_flags = type == IBV_QPT_RC ? ACCESS : IBV_ACCESS_REMOTE_WRITE};
    struct ibv_wc wc;
    if (qps[place]) ibv_destroy_qp(qps[place]);
    while (ibv_poll_cq(cq, 1, &wc) > 0) continue;
    qps[place] = ibv_create_qp(pd, &init);
    if (!qps[place]) { fprintf(out, "failed\n"); return; }
    int failed = ibv_modify_qp(qps[place], &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
        (type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
    if (failed) { fprintf(out, "failed %d\n", failed); return; }
    fprintf(out, "%x %x %llx\n", qps[place]->qp_num, mr->rkey, (unsigned long long)(uintptr_t)buffer);
}

static struct ibv_ah_attr address(uint32_t ipv4) {
    struct ibv_ah_attr ah = {.is_global = 1, .port_num = 1, .grh = {.hop_limit = 64, .sgid_index = gid_index}};
    uint32_t ip = htonl(ipv4);
    memcpy(ah.grh.dgid.raw, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
    memcpy(ah.grh.dgid.raw + 12, &ip, 4);
    return ah;
}

static void connect_qp(FILE *out, struct ibv_qp *qp, const unsigned long long *a) {
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR, .path_mtu = a[5], .dest_qp_num = a[1], .rq_psn = a[2],
        .max_dest_rd_atomic = a[10], .min_rnr_timer = a[9], .ah_attr = address(a[4])};
    int rtr = IBV_QP_STATE, rts = IBV_QP_STATE | IBV_QP_SQ_PSN;
    if (qp->qp_type != IBV_QPT_UD) rtr |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
    if (qp->qp_type == IBV_QPT_RC) {
        rtr |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
        rts |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    }
    if (qp->qp_type == IBV_QPT_UD) {
        struct ibv_ah_attr ah = address(a[4]);
        if (handle) ibv_destroy_ah(handle);
        handle = ibv_create_ah(pd, &ah);
    }
    int first = ibv_modify_qp(qp, &attr, rtr);
    attr.qp_state = IBV_QPS_RTS;
    attr.sq_psn = a[3];
    attr.timeout = a[6];
    attr.retry_cnt = a[7];
    attr.rnr_retry = a[8];
    attr.max_rd_atomic = a[10];
    int second = ibv_modify_qp(qp, &attr, rts);
    fprintf(out, "%x %x\n", first, second);
}

static void post_send(FILE *out, struct ibv_qp *qp, const unsigned long long *a) {
    struct ibv_sge sge = {(uintptr_t)buffer + a[3], a[4], mr->lkey};
    struct ibv_send_wr *bad, wr = {.wr_id = a[1], .sg_list = &sge, .num_sge = 1, .opcode = a[2],
        .send_flags = IBV_SEND_SIGNALED};
    if (qp->qp_type == IBV_QPT_UD) {
        wr.wr.ud.ah = a[10] == 0xffffff ? group : handle;
        wr.wr.ud.remote_qpn = a[10];
        wr.wr.ud.remote_qkey = a[11];
    } else if (a[2] == IBV_WR_ATOMIC_CMP_AND_SWP || a[2] == IBV_WR_ATOMIC_FETCH_AND_ADD) {
        wr.wr.atomic.remote_addr = a[5];
        wr.wr.atomic.rkey = a[6];
        wr.wr.atomic.compare_add = a[8];
        wr.wr.atomic.swap = a[9];
    } else {
        wr.wr.rdma.remote_addr = a[5];
        wr.wr.rdma.rkey = a[6];
    }
    if (a[2] == IBV_WR_SEND_WITH_INV) wr.invalidate_rkey = a[6]; else wr.imm_data = htonl(a[7]);
    fprintf(out, "%x\n", ibv_post_send(qp, &wr, &bad));
}

static void bind_window(FILE *out, struct ibv_qp *qp) {
    struct ibv_mw *window = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
    if (!window) { fprintf(out, "failed\n"); return; }
    struct ibv_send_wr *bad, wr = {.wr_id = 0x77, .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED};
    wr.bind_mw.mw = window;
    wr.bind_mw.rkey = ibv_inc_rkey(window->rkey);
    wr.bind_mw.bind_info = (struct ibv_mw_bind_info){mr, (uintptr_t)buffer, SIZE, IBV_ACCESS_REMOTE_WRITE};
    int failed = ibv_post_send(qp, &wr, &bad);
    struct ibv_wc wc = {.status = 0};
    double end = now() + 5;
    while (!failed && ibv_poll_cq(cq, 1, &wc) < 1 && now() < end) usleep(500);
    if (failed || wc.status || wc.wr_id != 0x77) fprintf(out, "failed %d %d\n", failed, wc.status);
    else fprintf(out, "%x\n", wr.bind_mw.rkey);
}

/* The network stack lets a group's packets pass only if a socket has joined it, too. */
static void attach(FILE *out, struct ibv_qp *qp, uint32_t ipv4) {
    struct ibv_ah_attr ah = address(ipv4);
    struct ip_mreq join = {.imr_multiaddr.s_addr = htonl(ipv4)};
    memcpy(&join.imr_interface, own.raw + 12, 4);
    if (membership < 0) {
        membership = socket(AF_INET, SOCK_DGRAM, 0);
        if (setsockopt(membership, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof join)) {
            fprintf(out, "failed\n");
            return;
        }
        group = ibv_create_ah(pd, &ah);
    }
    fprintf(out, "%x\n", !group || ibv_attach_mcast(qp, &ah.grh.dgid, 0));
}

static void detach(FILE *out, struct ibv_qp *qp, uint32_t ipv4) {
    struct ibv_ah_attr ah = address(ipv4);
    if (membership >= 0) {
        ibv_destroy_ah(group);
        close(membership);
        membership = -1;
    }
    fprintf(out, "%x\n", ibv_detach_mcast(qp, &ah.grh.dgid, 0));
}

static void poll_cq(FILE *out, unsigned count, unsigned milliseconds) {
    double end = now() + milliseconds * 1e-3;
    unsigned got = 0;
    while (got < count && now() < end) {
        struct ibv_wc wc;
        if (ibv_poll_cq(cq, 1, &wc) < 1) { usleep(500); continue; }
        got++;
        fprintf(out, "[id %llx status %d op %d bytes %x imm %x flags %x qp %x]", (unsigned long long)wc.wr_id,
            wc.status, wc.opcode, wc.byte_len, ntohl(wc.imm_data), wc.wc_flags, wc.qp_num);
    }
    fprintf(out, "\n");
}

static void run(FILE *out, const char *command) {
    child = fork();
    if (!child) {
        if (!freopen(LOG, "w", stdout) || dup2(1, 2) < 0) _exit(126);
        execl("/bin/sh", "sh", "-c", command, (char *)0);
        _exit(127);
    }
    fprintf(out, "%d\n", child < 0);
}

static void wait_for_child(FILE *out, unsigned milliseconds) {
    double end = now() + milliseconds * 1e-3;
    int status = 0, ended = 0;
    while (!(ended = waitpid(child, &status, WNOHANG) == child) && now() < end) usleep(1000);
    if (!ended) { kill(child, 9); waitpid(child, &status, 0); }
    fprintf(out, "%x ", ended ? WIFEXITED(status) ? WEXITSTATUS(status) : 0xff : 0xfe);
    FILE *said = fopen(LOG, "r");
    if (said) {
        fseek(said, 0, SEEK_END);
        long length = ftell(said);
        fseek(said, length > 4000 ? length - 4000 : 0, SEEK_SET);
        for (int c; (c = fgetc(said)) != EOF;) fprintf(out, "%02x", c);
        fclose(said);
    }
    fprintf(out, "\n");
}

static int call(const char *host, int port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, host, &to.sin_addr);
    for (int i = 0; i < 100; i++) {
        int s = socket(AF_INET, SOCK_STREAM, 0);
        if (!connect(s, (void *)&to, sizeof to)) return s;
        close(s);
        usleep(200000);
    }
    return -1;
}

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: agent HOST PORT\n"), 2;
    int n;
    struct ibv_device **list = ibv_get_device_list(&n);
    if (!list || !n) return puts("no RDMA device"), 1;
    context = ibv_open_device(list[0]);
    pd = ibv_alloc_pd(context);
    cq = ibv_create_cq(context, 1024, 0, 0, 0);
    struct ibv_port_attr port;
    ibv_query_port(context, 1, &port);
    for (int i = 0; i < port.gid_tbl_len && gid_index < 0; i++) {
        if (!ibv_query_gid(context, 1, i, &own) && !memcmp(own.raw, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12)) gid_index = i;
    }
    if (posix_memalign((void **)&buffer, 4096, SIZE)) return 1;
    memset(buffer, 0, SIZE);
    mr = ibv_reg_mr(pd, buffer, SIZE, ACCESS | IBV_ACCESS_MW_BIND);
    if (!mr) return perror("ibv_reg_mr"), 1;
    int s = call(argv[1], atoi(argv[2]));
    if (s < 0) return perror("connect"), 1;
    FILE *in = fdopen(s, "r"), *out = fdopen(dup(s), "w");
    fprintf(out, "agent %x\n", gid_index);
    fflush(out);
    char line[1024];
    while (fgets(line, sizeof line, in)) {
        char word[16];
        unsigned long long a[12] = {0};
        if (sscanf(line, "%15s %llx %llx %llx %llx %llx %llx %llx %llx %llx %llx %llx %llx", word, a, a + 1, a + 2,
                a + 3, a + 4, a + 5, a + 6, a + 7, a + 8, a + 9, a + 10, a + 11) < 1) continue;
        struct ibv_qp *qp = qps[a[0] % PLACES];
        if (!strcmp(word, "qp")) make_qp(out, a[0] % PLACES, a[1], a[2]);
        else if (!strcmp(word, "connect") && qp) connect_qp(out, qp, a);
        else if (!strcmp(word, "fill")) {
            random_state = a[2];
            for (uint64_t i = 0; i < a[1] && a[0] + i < SIZE; i++) buffer[a[0] + i] = next_byte();
            fprintf(out, "0\n");
        } else if (!strcmp(word, "check")) {
            uint64_t i = 0;
            random_state = a[2];
            while (i < a[1] && a[0] + i < SIZE && buffer[a[0] + i] == next_byte()) i++;
            fprintf(out, "%s %llx\n", i == a[1] ? "ok" : "bad", (unsigned long long)i);
        } else if (!strcmp(word, "put64")) {
            uint64_t value = a[1];
            memcpy(buffer + a[0] % (SIZE - 8), &value, 8);
            fprintf(out, "0\n");
        } else if (!strcmp(word, "get64")) {
            uint64_t value;
            memcpy(&value, buffer + a[0] % (SIZE - 8), 8);
            fprintf(out, "%llx\n", (unsigned long long)value);
        } else if (!strcmp(word, "recv") && qp) {
            struct ibv_sge sge = {(uintptr_t)buffer + a[2], a[3], mr->lkey};
            struct ibv_recv_wr *bad, wr = {.wr_id = a[1], .sg_list = &sge, .num_sge = 1};
            fprintf(out, "%x\n", ibv_post_recv(qp, &wr, &bad));
        } else if (!strcmp(word, "send") && qp) post_send(out, qp, a);
        else if (!strcmp(word, "window") && qp) bind_window(out, qp);
        else if (!strcmp(word, "attach") && qp) attach(out, qp, a[1]);
        else if (!strcmp(word, "detach") && qp) detach(out, qp, a[1]);
        else if (!strcmp(word, "poll")) poll_cq(out, a[0], a[1]);
        else if (!strcmp(word, "state") && qp) {
            struct ibv_qp_attr attr;
            struct ibv_qp_init_attr init;
            ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
            fprintf(out, "%d\n", attr.qp_state);
        } else if (!strncmp(line, "run ", 4)) run(out, line + 4);
        else if (!strcmp(word, "wait")) wait_for_child(out, a[0]);
        else if (!strcmp(word, "bye")) { fprintf(out, "bye\n"); fflush(out); break; }
        else fprintf(out, "what\n");
        fflush(out);
    }
    return 0;
}
